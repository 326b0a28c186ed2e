package io.sluice.server.containers;

import io.sluice.store.cluster.ContainerLease;
import io.sluice.store.cluster.LeaseRenewal;
import io.sluice.store.container.Container;
import io.sluice.store.container.ContainerListener;
import io.sluice.store.container.ContainerLoop;
import io.sluice.store.container.ContainerParts;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one container served, until told to stop.
 *
 * <pre>
 *   ┌─► lease ─► open on the loop ─► recovered: serving ─► term ends ─► lease given back ─┐
 *   └──────────────── pause, longer after each failure without success ◄─────────────────┘
 * </pre>
 */
final class KeepContainerServed implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(KeepContainerServed.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final Duration FINISH = Duration.ofSeconds(10);

    private final int id;
    private final ContainerSetup setup;
    private final ContainerParts parts;
    private final ContainerLoop loop;
    private final LeaseRenewal renewal;
    private final ServingListener listener;
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile @Nullable Container serving;
    private volatile @Nullable Container open;

    KeepContainerServed(
            int id, ContainerSetup setup, ContainerLoop loop, LeaseRenewal renewal, ServingListener listener) {
        this.id = id;
        this.setup = setup;
        this.parts = setup.parts().apply(id);
        this.loop = loop;
        this.renewal = renewal;
        this.listener = listener;
    }

    /** The container while it serves, else null. Any thread. */
    @Nullable
    Container serving() {
        return serving;
    }

    /** Ends the term and the task; returns at once. */
    void close() {
        closing.countDown();
        Container current = open;
        if (current != null) {
            current.close();
        }
    }

    @Override
    public void run() {
        Duration pause = FIRST_PAUSE;
        while (closing.getCount() > 0) {
            boolean served = false;
            try {
                ContainerLease lease = acquire();
                if (lease != null) {
                    served = serveOneTerm(lease);
                }
            } catch (IOException e) {
                log.warn("container {}: the metadata store does not answer: {}", id, e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            pause = served ? FIRST_PAUSE : longer(pause);
            waitUnlessClosing(pause);
        }
    }

    private static Duration longer(Duration pause) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    private void waitUnlessClosing(Duration pause) {
        try {
            boolean ignored = closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable ContainerLease acquire() throws IOException {
        return switch (ContainerLease.acquire(setup.metadata(), id, setup.node(), setup.lease(), Instant.now())) {
            case ContainerLease.Attempt.Acquired(ContainerLease lease) -> lease;
            case ContainerLease.Attempt.HeldBy(String node, Instant until) -> {
                log.info("container {} is held by node {} until {}", id, node, until);
                yield null;
            }
        };
    }

    /** @return whether it got as far as serving */
    private boolean serveOneTerm(ContainerLease lease) throws InterruptedException, IOException {
        var term = new Term();
        Container container = new Container(id, setup.config(), parts, term);
        open = container;
        renewal.keep(lease, container::close);
        loop.add(container);
        container.open();
        if (closing.getCount() == 0) {
            container.close();
        }
        boolean served = term.began();
        if (served) {
            serving = container;
            log.info("container {} serves in term {}", id, container.term());
            listener.serving(id);
        }
        String why = term.end();
        serving = null;
        if (served) {
            listener.stopped(id);
        }
        if (closing.getCount() > 0) {
            log.warn("container {} stopped: {}; it is opened again", id, why);
        }
        renewal.drop(lease);
        lease.release();
        awaitFinished(container);
        open = null;
        return served;
    }

    /** The cache is used by the next term, so the last one must have let go of it. */
    private void awaitFinished(Container container) throws InterruptedException {
        long deadline = System.nanoTime() + FINISH.toNanos();
        while (!container.finished()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("container " + id + " did not finish");
            }
            Thread.sleep(1);
        }
    }

    /** One term as the loop reports it. */
    private static final class Term implements ContainerListener {
        private final CompletableFuture<Boolean> began = new CompletableFuture<>();
        private final CompletableFuture<String> end = new CompletableFuture<>();

        @Override
        public void serving(Container container) {
            began.complete(true);
        }

        @Override
        public void stopped(Container container, String why) {
            began.complete(false);
            end.complete(why);
        }

        boolean began() throws InterruptedException {
            return get(began);
        }

        String end() throws InterruptedException {
            return get(end);
        }

        private static <T> T get(CompletableFuture<T> future) throws InterruptedException {
            try {
                return future.get(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
