package io.sluice.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EtcdWatchTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Etcd's client holds one lock when it closes a watch, and when it tells that one has failed. */
    @Test
    void aWatchThatFailsWhileTheNextOneIsOpenedStopsNothing() throws Exception {
        var client = new LockingClient();
        var watch = new EtcdWatch(client, response -> {}, event -> {}, PATIENCE);
        Watch.Listener first = Objects.requireNonNull(client.listener);
        Thread fails = Thread.ofPlatform().daemon().start(() -> client.fail(first));
        assertThat(client.failing.await(60, TimeUnit.SECONDS)).isTrue();
        Thread reopens = Thread.ofPlatform().daemon().start(watch::reopen);

        assertThat(fails.join(PATIENCE)).as("the failure is heard").isTrue();
        assertThat(reopens.join(PATIENCE)).as("the next watch is there").isTrue();
        assertThat(client.listener).isNotSameAs(first);
        watch.close();
    }

    /** Etcd's client drops answers that come before it listens. */
    @Test
    void aWatchOfWhichNothingIsHeardIsOpenedAgain() {
        var client = new LockingClient();
        try (var watch = new EtcdWatch(client, response -> {}, event -> {}, Duration.ofMillis(1))) {
            Watch.Listener first = client.listener;
            await().atMost(PATIENCE).until(() -> client.listener != first);
        }
    }

    @Test
    void aWatchThatEtcdEndsIsOpenedAgain() {
        var client = new LockingClient();
        try (var watch = new EtcdWatch(client, response -> {}, event -> {}, Duration.ofDays(1))) {
            Watch.Listener first = Objects.requireNonNull(client.listener);
            first.onCompleted();
            await().atMost(PATIENCE).until(() -> client.listener != first);
        }
    }

    private static final class LockingClient implements Watch {
        final CountDownLatch failing = new CountDownLatch(1);
        private final CountDownLatch closing = new CountDownLatch(1);
        volatile @Nullable Listener listener;

        @Override
        public Watcher watch(ByteSequence key, WatchOption option, Listener heard) {
            listener = heard;
            return new Watcher() {
                @Override
                public void close() {
                    closing.countDown();
                    synchronized (LockingClient.this) {
                        heard.onCompleted();
                    }
                }

                @Override
                public void requestProgress() {}
            };
        }

        synchronized void fail(Listener told) {
            failing.countDown();
            try {
                assertThat(closing.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            told.onError(new IllegalStateException("the connection broke"));
        }

        @Override
        public void requestProgress() {}

        @Override
        public void close() {}
    }
}
