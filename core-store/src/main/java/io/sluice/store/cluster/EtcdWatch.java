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
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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
 * <p>Etcd's client can also lose the first answers to a new watch: it begins to listen after it has asked. Whether the watch was made, or refused
 * because etcd has forgotten where it is to begin, is then never said. So a watch of which nothing was heard in time is opened again.
 *
 * <p>The store offers no way in, so this uses its private members; the contract suite of the port shows when they change.
 */
final class EtcdWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EtcdWatch.class);
    private static final ByteSequence ALL = ByteSequence.from("/", UTF_8);
    private static final Executor LATER = CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS);
    private static final Duration ANSWERED = Duration.ofSeconds(10);

    private final Watch watches;
    private final Consumer<WatchResponse> told;
    private final Consumer<SessionEvent> sessionEvent;
    private final Executor answered;

    /**
     * Held while a watch is opened or closed, for which etcd's client takes a lock of its own. It holds that one, too, when it says that a watch
     * has failed: so a listener never takes this lock.
     */
    private final ReentrantLock opening = new ReentrantLock();

    private Watch.@Nullable Watcher watcher;
    private @Nullable Listener listener;
    private boolean closed;

    /** Guarded by this, as is {@link #lost}. */
    private long revision;
    /** Said in the log, and nothing heard since. */
    private boolean lost;

    /**
     * Opens the first watch.
     *
     * @param told hears of changes
     * @param sessionEvent hears that a session is established anew
     * @param answered time in which etcd says that a watch is made
     */
    EtcdWatch(Watch watches, Consumer<WatchResponse> told, Consumer<SessionEvent> sessionEvent, Duration answered) {
        this.watches = watches;
        this.told = told;
        this.sessionEvent = sessionEvent;
        this.answered = CompletableFuture.delayedExecutor(answered.toMillis(), TimeUnit.MILLISECONDS);
        open(false);
    }

    static EtcdWatch of(EtcdMetadataStore store) {
        try {
            Field client = EtcdMetadataStore.class.getDeclaredField("client");
            client.setAccessible(true);
            Method told = EtcdMetadataStore.class.getDeclaredMethod("handleWatchResponse", WatchResponse.class);
            told.setAccessible(true);
            Method event = EtcdMetadataStore.class.getDeclaredMethod("receivedSessionEvent", SessionEvent.class);
            event.setAccessible(true);
            return new EtcdWatch(
                    ((Client) client.get(store)).getWatchClient(),
                    response -> call(store, told, response),
                    each -> call(store, event, each),
                    ANSWERED);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("another version of the metadata library", e);
        }
    }

    /**
     * To be called when the store is connected again. Once the watch is there, those who listen to the session are told that it was established
     * anew, and register again what hangs on it.
     */
    void reopen() {
        open(true);
    }

    private void open(boolean again) {
        opening.lock();
        try {
            if (closed) {
                return;
            }
            Watch.Watcher before = watcher;
            Listener next = new Listener(again);
            listener = next;
            answered.execute(() -> reopenIfSilent(next));
            watcher = watches.watch(ALL, option(), next);
            if (before != null) {
                before.close();
            }
        } finally {
            opening.unlock();
        }
    }

    private synchronized WatchOption option() {
        WatchOption.Builder option = WatchOption.builder().isPrefix(true).withCreateNotify(true);
        if (revision > 0) {
            option.withRevision(revision + 1);
        }
        return option.build();
    }

    /** Unless there is another watch by now, which it may have ended for. */
    private void reopen(Listener ended) {
        opening.lock();
        try {
            if (listener == ended) {
                open(true);
            }
        } finally {
            opening.unlock();
        }
    }

    private void reopenIfSilent(Listener asked) {
        if (!asked.made) {
            reopen(asked);
        }
    }

    private synchronized void reached(long newRevision) {
        revision = Math.max(revision, newRevision);
    }

    private synchronized void lost(Throwable why) {
        if (!lost) {
            log.info("The watch on etcd has ended and is opened again: {}", why.getMessage());
        }
        lost = true;
        revision = 0;
    }

    private synchronized void found() {
        lost = false;
    }

    private static void call(EtcdMetadataStore store, Method method, Object argument) {
        try {
            method.invoke(store, argument);
        } catch (IllegalAccessException | InvocationTargetException e) {
            log.warn("What etcd has told was not passed on", e);
        }
    }

    @Override
    public void close() {
        opening.lock();
        try {
            closed = true;
            if (watcher != null) {
                watcher.close();
            }
        } finally {
            opening.unlock();
        }
    }

    private final class Listener implements Watch.Listener {
        private boolean tellsSession;
        private volatile boolean made;

        Listener(boolean tellsSession) {
            this.tellsSession = tellsSession;
        }

        @Override
        public void onNext(WatchResponse response) {
            if (response.isCreatedNotify()) {
                made = true;
                found();
                if (tellsSession) {
                    tellsSession = false;
                    sessionEvent.accept(SessionEvent.SessionReestablished);
                }
            } else {
                told.accept(response);
            }
            reached(response.getHeader().getRevision());
        }

        /**
         * Also if etcd has forgotten the changes since: then the next watch begins with what comes. The store does not notice while its other requests
         * are answered, so the next watch does not wait for it to be connected again.
         */
        @Override
        public void onError(Throwable failure) {
            lost(failure);
            LATER.execute(() -> reopen(this));
        }

        /** By etcd when it stops, by the next watch, or by close. */
        @Override
        public void onCompleted() {
            LATER.execute(() -> reopen(this));
        }
    }
}
