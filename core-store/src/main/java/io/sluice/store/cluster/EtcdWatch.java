package io.sluice.store.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchResponse;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.pulsar.metadata.api.extended.SessionEvent;
import org.apache.pulsar.metadata.impl.EtcdMetadataStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an etcd store informed of changes. The watch that the store opens by itself resumes once after a broken connection and never
 * again: with etcd away for longer than half a second, nobody who listens to the store, BookKeeper included, would hear of a
 * change any more. So another watch goes on where that one ended, each time the store is connected again.
 *
 * <p>The store offers no way in, so this uses its private members; the contract suite of the port shows when they change.
 */
final class EtcdWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EtcdWatch.class);
    private static final ByteSequence ALL = ByteSequence.from("/", UTF_8);

    private final EtcdMetadataStore store;
    private final Watch watches;
    private final Method told;
    private final Method sessionEvent;
    private Watch.@Nullable Watcher watcher;
    private long revision;
    private boolean closed;

    EtcdWatch(EtcdMetadataStore store) {
        this.store = store;
        try {
            Field client = EtcdMetadataStore.class.getDeclaredField("client");
            client.setAccessible(true);
            watches = ((Client) client.get(store)).getWatchClient();
            told = EtcdMetadataStore.class.getDeclaredMethod("handleWatchResponse", WatchResponse.class);
            told.setAccessible(true);
            sessionEvent = EtcdMetadataStore.class.getDeclaredMethod("receivedSessionEvent", SessionEvent.class);
            sessionEvent.setAccessible(true);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("another version of the metadata library", e);
        }
        open(false);
    }

    /**
     * To be called when the store is connected again. Once the watch is there, those who listen to the session are told that it was established
     * anew, and register again what hangs on it.
     */
    void reopen() {
        open(true);
    }

    private synchronized void open(boolean again) {
        if (closed) {
            return;
        }
        Watch.Watcher before = watcher;
        WatchOption.Builder option = WatchOption.builder().isPrefix(true).withCreateNotify(true);
        if (revision > 0) {
            option.withRevision(revision + 1);
        }
        watcher = watches.watch(ALL, option.build(), new Listener(again));
        if (before != null) {
            before.close();
        }
    }

    private synchronized void reached(long newRevision) {
        revision = Math.max(revision, newRevision);
    }

    private synchronized void forgetRevision() {
        revision = 0;
    }

    private void call(Method method, Object argument) {
        try {
            method.invoke(store, argument);
        } catch (IllegalAccessException | InvocationTargetException e) {
            log.warn("What etcd has told was not passed on", e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (watcher != null) {
            watcher.close();
        }
    }

    private final class Listener implements Watch.Listener {
        private boolean tellsSession;

        Listener(boolean tellsSession) {
            this.tellsSession = tellsSession;
        }

        @Override
        public void onNext(WatchResponse response) {
            if (response.isCreatedNotify()) {
                if (tellsSession) {
                    tellsSession = false;
                    call(sessionEvent, SessionEvent.SessionReestablished);
                }
            } else {
                call(told, response);
            }
            reached(response.getHeader().getRevision());
        }

        /** Also if etcd has forgotten the changes since: then the next watch begins with what comes. */
        @Override
        public void onError(Throwable failure) {
            log.info("The watch on etcd has ended and is opened again: {}", failure.getMessage());
            forgetRevision();
        }

        @Override
        public void onCompleted() {
            // by the next one, or by close
        }
    }
}
