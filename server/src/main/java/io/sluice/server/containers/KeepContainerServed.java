package io.sluice.server.containers;

import io.sluice.store.cluster.Lease;
import io.sluice.store.cluster.LeaseRenewal;
import io.sluice.store.cluster.Leases.Attempt;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.container.Container;
import io.sluice.store.container.ContainerListener;
import io.sluice.store.container.ContainerLoop;
import io.sluice.store.container.ContainerParts;
import io.sluice.store.container.MemoryShare;
import io.sluice.store.container.RecoveryTimes;
import io.sluice.store.wal.Durability;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
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
 *                     and until the log answers, if it did not ({@link LogAttempts})
 * </pre>
 */
final class KeepContainerServed implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(KeepContainerServed.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);
    private static final Duration FINISH = Duration.ofSeconds(10);

    private final int id;
    private final Durability durability;
    private final ContainerSetup setup;
    private final ContainerParts parts;
    private final ContainerLoop loop;
    private final LeaseRenewal renewal;
    private final ServingListener listener;
    private final CountDownLatch closing = new CountDownLatch(1);
    /** Ends the pause between two looks at another process's lease. */
    private final Semaphore wake = new Semaphore(0);

    private final Thread thread;
    /** Holder of another node's lease that was logged last. */
    private @Nullable NodeIdentity holder;
    /** It has been said that the metadata store does not answer. */
    private boolean metadataAway;
    /** Why terms after the last one that served have ended, as it was said; empty if none has. */
    private String failure = "";

    private volatile MemoryShare share;
    private volatile boolean hasServed;
    /** It was closed because it held no segments, not because the process ends. */
    private volatile boolean closedEmpty;

    private volatile @Nullable Tenure serving;
    private volatile @Nullable Container open;
    private volatile @Nullable String damage;

    KeepContainerServed(
            int id,
            Durability durability,
            ContainerSetup setup,
            MemoryShare share,
            ContainerLoop loop,
            LeaseRenewal renewal,
            ServingListener listener) {
        this.id = id;
        this.durability = durability;
        this.setup = setup;
        this.share = share;
        this.parts = setup.parts().of(id, durability, share);
        this.loop = loop;
        this.renewal = renewal;
        this.listener = listener;
        this.thread = Thread.ofVirtual().name("keep-container-" + id).unstarted(this);
    }

    int id() {
        return id;
    }

    /** Durability of its log. */
    Durability durability() {
        return durability;
    }

    ContainerLoop loop() {
        return loop;
    }

    void start() {
        thread.start();
    }

    /** Waits for the end after {@link #close}; says whether it came. */
    boolean ended(Duration atMost) throws InterruptedException {
        return thread.getState() == Thread.State.NEW
                || thread.join(atMost.isPositive() ? atMost : Duration.ofMillis(1));
    }

    /** Gives the cache back, once {@link #ended}, or once nothing turns the container any more. */
    void discard() {
        parts.cache().close();
    }

    /** It served at least once since this process took it. Any thread. */
    boolean hasServed() {
        return hasServed;
    }

    /** The memory that the term under way has from now on, and those that follow. Any thread. */
    void resize(MemoryShare changed) {
        share = changed;
        Container current = open;
        if (current != null) {
            current.resize(changed);
        }
    }

    /**
     * Ends the task if the container holds no segments, so that none can come after that was seen.
     *
     * @return how many it holds: 0 if the task ends, or ended so before. Fails if it is not known
     */
    CompletableFuture<Integer> closeIfEmpty() {
        if (closedEmpty) {
            return CompletableFuture.completedFuture(0);
        }
        Container current = serving();
        return current == null
                ? CompletableFuture.failedFuture(new IllegalStateException("it is not served at the moment"))
                : current.closeIfEmpty(this::endEmpty);
    }

    private void endEmpty() {
        closedEmpty = true;
        closing.countDown();
        wake();
    }

    /** Tries again to get the lease, if that is what this waits for: its holder may have changed, or the log be there again. Any thread. */
    void wake() {
        wake.release();
    }

    /** Whether nothing of it runs: it was not started, or it has ended. */
    boolean hasEnded() {
        Thread.State state = thread.getState();
        return state == Thread.State.NEW || state == Thread.State.TERMINATED;
    }

    /** A container that serves, and what it may serve by. */
    private record Tenure(Container container, Lease lease) {}

    /**
     * The container while it serves, else null. Requests come in through here, and a lease that has run out turns them away:
     * the container itself learns that it was taken over at its next append or renewal, and would answer reads until then
     * as if nothing had been written since. Any thread.
     */
    @Nullable
    Container serving() {
        Tenure current = serving;
        return current != null && current.lease.held() ? current.container : null;
    }

    /** Why the container's last term could not begin and none will: see {@link Container#damage}. Any thread. */
    @Nullable
    String damage() {
        return damage;
    }

    /** Ends the term and the task; returns at once. */
    void close() {
        closing.countDown();
        wake();
        Container current = open;
        if (current != null) {
            current.close();
        }
    }

    /** As {@link #close}; a container that serves leaves the next owner little to read, see {@link Container#leave}. */
    void leave() {
        if (serving() == null) {
            close();
            return;
        }
        closing.countDown();
        wake();
        Container current = open;
        if (current != null) {
            current.leave();
        }
    }

    @Override
    public void run() {
        Duration pause = FIRST_PAUSE;
        while (closing.getCount() > 0) {
            try {
                // what changes from here on is seen by the attempt, or ends the pause after it
                wake.drainPermits();
                if (!setup.attempts().mayOpen(id)) {
                    waitUntilWoken(LOOK_AGAIN);
                    continue;
                }
                long began = System.nanoTime();
                switch (setup.leases().acquire(id)) {
                    case Attempt.Acquired(Lease lease) -> {
                        holder = null;
                        metadataAway = false;
                        pause = serveOneTerm(lease, began) ? FIRST_PAUSE : longer(pause);
                        pauseUnlessClosing(pause);
                    }
                    case Attempt.HeldBy(NodeIdentity by, String until, Duration again) -> {
                        metadataAway = false;
                        tellHolder(by, until);
                        // A holder that leaves in good order gives it free before that time.
                        waitUntilWoken(again.compareTo(LOOK_AGAIN) < 0 ? again : LOOK_AGAIN);
                    }
                }
            } catch (IOException e) {
                if (!metadataAway) {
                    log.warn("container {}: the metadata store does not answer: {}", id, e.getMessage());
                }
                metadataAway = true;
                pause = longer(pause);
                pauseUnlessClosing(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (Throwable e) {
                // whatever it is: the lease was given back, and nothing else would try again
                log.error("container {}: its lease cannot be read or a listener failed", id, e);
                pause = longer(pause);
                pauseUnlessClosing(pause);
            }
        }
    }

    private void tellHolder(NodeIdentity by, String until) {
        if (by.equals(holder)) {
            return;
        }
        holder = by;
        if (by.nodeId().equals(setup.node().nodeId())) {
            log.warn(
                    "container {} is held by another process of node {}, {}, until {} or longer: if that one runs, too, give one of"
                            + " them another id",
                    id,
                    by.nodeId(),
                    by.incarnation(),
                    until);
        } else {
            log.info("container {} is held by node {} until {} or longer", id, by.nodeId(), until);
        }
    }

    private static Duration longer(Duration pause) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    private void waitUntilWoken(Duration atMost) throws InterruptedException {
        boolean ignored = wake.tryAcquire(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Whatever wakes others, after a failure this lasts as long as it should. */
    private void pauseUnlessClosing(Duration pause) {
        try {
            boolean ignored = closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return whether it got anywhere, so that the next term may come at once */
    private boolean serveOneTerm(Lease lease, long began) throws InterruptedException {
        long leased = System.nanoTime();
        var term = new Term(listener);
        MemoryShare first = share;
        parts.cache().resize(first.cacheBytes());
        Container container = new Container(id, setup.config().within(first).with(durability), parts, term);
        open = container;
        container.resize(share); // read again: it may have changed before the container could be seen
        try {
            renewal.keep(lease, container::close);
            loop.add(container);
            container.open();
            if (closing.getCount() == 0) {
                container.close();
            }
            return serve(container, lease, term, new TakeOverClock(began, leased)) || container.storedAhead();
        } finally {
            container.close();
            boolean finished = finishedWithin(FINISH, container);
            renewal.drop(lease);
            release(lease);
            // The cache is used by the next term, so this one must have let go of it, however long that takes.
            while (!finished) {
                log.warn("container {} waits for the log to give its buffers back", id);
                finished = finishedWithin(FINISH, container);
            }
            open = null;
        }
    }

    private boolean serve(Container container, Lease lease, Term term, TakeOverClock clock)
            throws InterruptedException {
        boolean served = term.began();
        if (served) {
            serving = new Tenure(container, lease);
            hasServed = true;
            listener.serving(id);
            tellServing(container, lease);
            TakeOver times = clock.ended(container);
            log.info("container {} serves in term {} {}", id, container.term(), times);
            listener.tookOver(id, times);
        }
        String why = term.end();
        damage = container.damage();
        if (container.isLogAway()) {
            setup.attempts().failed(id);
        }
        serving = null;
        if (served) {
            listener.stopped(id);
        }
        if (closing.getCount() > 0) {
            if (served || !why.equals(failure)) {
                log.warn("container {} stopped: {}; it is opened again", id, why);
            }
            failure = why;
        } else {
            log.info("container {} is served here no longer", id);
        }
        return served;
    }

    /** Since when a container is being taken over; nanoseconds of {@link System#nanoTime}. */
    private record TakeOverClock(long began, long leased) {
        TakeOver ended(Container container) {
            long now = System.nanoTime();
            RecoveryTimes recovery = Objects.requireNonNull(container.recoveryTimes());
            return new TakeOver(Duration.ofNanos(leased - began), recovery, Duration.ofNanos(now - began));
        }
    }

    private void tellServing(Container container, Lease lease) {
        try {
            lease.tellServing(container.term());
        } catch (IOException e) {
            log.warn("container {}: other nodes were not told that it serves here: {}", id, e.getMessage());
        }
    }

    private void release(Lease lease) {
        try {
            lease.release();
        } catch (IOException e) {
            log.warn("container {}: the lease was not given back and has to run out: {}", id, e.getMessage());
        }
    }

    private static boolean finishedWithin(Duration time, Container container) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        while (!container.finished()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Thread.sleep(1);
        }
        return true;
    }

    /** One term as the loop reports it. */
    private static final class Term implements ContainerListener {
        private final CompletableFuture<Boolean> began = new CompletableFuture<>();
        private final CompletableFuture<String> end = new CompletableFuture<>();
        private final ServingListener told;

        Term(ServingListener told) {
            this.told = told;
        }

        @Override
        public void lost(Container container, Map<Long, Long> bytes) {
            told.lost(container.id(), bytes);
        }

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
