package io.sluice.server.containers;

import io.sluice.store.cluster.LeaseRenewal;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.container.Container;
import io.sluice.store.container.ContainerLoop;
import io.sluice.store.container.ContainerStats;
import io.sluice.store.container.MemoryShare;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.wal.Durability;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The containers of this process, each kept served by a task of its own, on as many loops as there are cores to use: all of the store,
 * or those that are {@linkplain #assign assigned} to it. Their number changes while it runs; with it change all shares of the memory,
 * which together stay within it: the others' are made smaller before one comes, and larger after one went.
 */
public final class ServedContainers implements Containers, AutoCloseable {
    private static final Duration CLOSE = Duration.ofMillis(3_500);
    private static final Duration CLOSE_EMPTY = Duration.ofSeconds(15);

    private final ContainerSetup setup;
    private final int mostLoops;
    private final List<ContainerLoop> loops = new CopyOnWriteArrayList<>();
    private final List<ServingListener> listeners = new CopyOnWriteArrayList<>();
    private final LeaseRenewal renewal;
    private final CompletableFuture<String> broken = new CompletableFuture<>();
    private volatile KeptContainers kept;
    /** Null for all. */
    private @Nullable Set<Integer> assigned;

    /** Tasks that are not wanted any more and have not ended. */
    private final Set<KeepContainerServed> ending = new HashSet<>();

    private boolean started;
    private boolean closed;

    /** @param mostLoops threads that turn containers */
    public ServedContainers(StoreLayout layout, ContainerSetup setup, int mostLoops) {
        this(layout, setup, mostLoops, null);
    }

    /** @param assigned containers to serve, until others are assigned; null for all that the store has and will have */
    public ServedContainers(StoreLayout layout, ContainerSetup setup, int mostLoops, @Nullable Set<Integer> assigned) {
        this.setup = setup;
        this.mostLoops = mostLoops;
        this.assigned = assigned;
        renewal = new LeaseRenewal(
                setup.lease(), renewal -> Thread.ofVirtual().name("renew-lease").start(renewal));
        kept = KeptContainers.none(layout);
        follow();
    }

    /**
     * Takes the layout as it is now: begins to open containers that are new in it, and ends the tasks of those that it has no more. One that
     * was read before a change that is known here changes nothing. Returns at once.
     */
    public synchronized void take(StoreLayout layout) {
        if (kept.layout().isBefore(layout)) {
            kept = kept.within(layout);
            follow();
        }
    }

    /** Begins to open those of the store's containers, and ends the terms of all others; returns at once. */
    public synchronized void assign(Set<Integer> containers) {
        if (!containers.equals(assigned)) {
            assigned = Set.copyOf(containers);
            follow();
        }
    }

    /** Looks again for leases that other processes hold. */
    public void wake() {
        kept.tasks().forEach(KeepContainerServed::wake);
    }

    /** Looks again for the container's lease, if another process had it. Any thread; does not block. */
    public void wake(int container) {
        KeepContainerServed task = kept.of(container);
        if (task != null) {
            task.wake();
        }
    }

    /** Whether this process serves the container, tries to, or has not ended its term yet. */
    public boolean isKept(int container) {
        return kept.of(container) != null;
    }

    private boolean isWanted(int id) {
        return kept.all().contains(id) && (assigned == null || assigned.contains(id));
    }

    private synchronized void follow() {
        if (closed) {
            return;
        }
        for (KeepContainerServed task : kept.tasks()) {
            if (!isWanted(task.id())) {
                end(task);
            }
        }
        List<Integer> added = kept.all().stream()
                .filter(id -> isWanted(id) && kept.of(id) == null)
                .toList();
        if (added.isEmpty()) {
            return;
        }
        MemoryShare share = setup.shares().apply(kept.tasks().size() + added.size());
        kept.tasks().forEach(task -> task.resize(share));
        for (int id : added) {
            var task = new KeepContainerServed(
                    id, Durability.ofLevel(kept.layout().level(id)), setup, share, loop(), renewal, toAll);
            kept = kept.with(task);
            listeners.forEach(listener -> listener.added(id));
            if (started) {
                task.start();
            }
        }
    }

    private void end(KeepContainerServed task) {
        if (!ending.add(task)) {
            return;
        }
        task.leave();
        if (task.hasEnded()) {
            forget(task);
        } else {
            Thread.ofVirtual().name("end-container-" + task.id()).start(() -> awaitEnd(task));
        }
    }

    private void awaitEnd(KeepContainerServed task) {
        try {
            boolean ignored = task.ended(Duration.ofDays(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        synchronized (this) {
            forget(task);
            // It may be wanted again by now.
            follow();
        }
    }

    /** Gives the memory of a task that has ended to the others. */
    private synchronized void forget(KeepContainerServed task) {
        ending.remove(task);
        if (!closed && kept.of(task.id()) == task) {
            kept = kept.without(task.id());
            listeners.forEach(listener -> listener.removed(task.id()));
            task.discard();
            if (!kept.tasks().isEmpty()) {
                MemoryShare share = setup.shares().apply(kept.tasks().size());
                kept.tasks().forEach(each -> each.resize(share));
            }
        }
    }

    /**
     * Closes the container for good if it holds no segments.
     *
     * @return how many it holds: 0 once it is closed
     * @throws IllegalStateException that is not known: this process does not serve it, now or ever, or it does not end
     */
    int closeIfEmpty(int id) throws InterruptedException {
        KeepContainerServed task = kept.of(id);
        if (task == null) {
            throw new IllegalStateException("this process does not know it, so that another may serve it");
        }
        try {
            int segments = task.closeIfEmpty().get(CLOSE_EMPTY.toMillis(), TimeUnit.MILLISECONDS);
            if (segments == 0 && !task.ended(CLOSE_EMPTY)) {
                throw new IllegalStateException("it does not end");
            }
            return segments;
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    e.getCause() == null ? "" : e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("its loop does not answer", e);
        }
    }

    private final ServingListener toAll = new ServingListener() {
        @Override
        public void serving(int container) {
            listeners.forEach(listener -> listener.serving(container));
        }

        @Override
        public void lost(int container, Map<Long, Long> bytes) {
            listeners.forEach(listener -> listener.lost(container, bytes));
        }

        @Override
        public void tookOver(int container, TakeOver times) {
            listeners.forEach(listener -> listener.tookOver(container, times));
        }

        @Override
        public void stopped(int container) {
            listeners.forEach(listener -> listener.stopped(container));
        }
    };

    /** The loop that turns the fewest containers, perhaps a new one. */
    private ContainerLoop loop() {
        if (loops.size() < mostLoops) {
            String name = "container-loop-" + loops.size();
            var loop = new ContainerLoop(name, why -> loopDied(name, why));
            loops.add(loop);
            if (started) {
                loop.start();
            }
            return loop;
        }
        ToLongFunction<ContainerLoop> turned = loop ->
                kept.tasks().stream().filter(task -> task.loop() == loop).count();
        return loops.stream().min(Comparator.comparingLong(turned)).orElseThrow();
    }

    /** Its containers have ended, and with no thread to turn their next terms the process had better begin anew. */
    private void loopDied(String loop, Throwable why) {
        renewal.close();
        broken.complete(loop + " failed, and with it the containers that it turns: " + why + "; the log says where");
    }

    /** Completes with the reason, in one line, when containers can be served here no longer. */
    public CompletableFuture<String> broken() {
        return broken;
    }

    /** Begins to open all containers, side by side; returns at once. */
    public synchronized void start() {
        started = true;
        renewal.start(Thread.ofVirtual().name("watch-leases").factory());
        loops.forEach(ContainerLoop::start);
        kept.tasks().forEach(KeepContainerServed::start);
    }

    /**
     * Waits until every container serves here, or it is plain that one never will.
     *
     * @param broken whether what they need is gone for good
     */
    public boolean awaitServing(Duration atMost, BooleanSupplier broken) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!allServing()) {
            if (System.nanoTime() > deadline || broken.getAsBoolean() || damage() != null) {
                return false;
            }
            Thread.sleep(2);
        }
        return true;
    }

    /** Permanent damage that keeps a container from being served, in one line; null if none is known. */
    public @Nullable String damage() {
        for (KeepContainerServed task : kept.tasks()) {
            String damage = task.damage();
            if (damage != null) {
                return "container " + task.id() + " cannot be recovered: " + damage;
            }
        }
        return null;
    }

    public boolean allServing() {
        return kept.tasks().stream().allMatch(task -> task.serving() != null);
    }

    /**
     * Asks the container's loop, which answers when what it wrote before is durable. Any thread.
     *
     * @return null if the container is well, else what is wrong, in one line
     */
    public CompletableFuture<@Nullable String> probe(int container) {
        SegmentContainer serving = serving(container);
        if (serving == null) {
            return CompletableFuture.completedFuture("container " + container + " is not served, the log says why");
        }
        // writes nothing
        Answer<Boolean> well = serving.ask(answer -> serving.barrier(answer.onceDurable(true)));
        return well.handle((yes, why) -> why == null ? null : "container " + container + ": " + why.getMessage());
    }

    /** Listeners hear of changes from now on. */
    public void onServing(ServingListener listener) {
        listeners.add(listener);
    }

    @Override
    public @Nullable SegmentContainer serving(int container) {
        Container serving = open(container);
        return serving == null ? null : serving.segments();
    }

    /** The containers served now. */
    public List<Container> served() {
        return kept.tasks().stream()
                .<@Nullable Container>map(KeepContainerServed::serving)
                .filter(c -> c != null)
                .<Container>map(c -> (Container) c)
                .toList();
    }

    /** How the container fares; null while it is not served here. */
    public @Nullable ContainerStats stats(int container) {
        Container serving = open(container);
        return serving == null ? null : serving.stats();
    }

    /** The number of the loop that turns the container. */
    public int loopOf(int container) {
        KeepContainerServed task = kept.of(container);
        return task == null ? 0 : loops.indexOf(task.loop());
    }

    /** How long that loop has rested since it began, in nanoseconds. */
    public long restedNanos(int loop) {
        return loops.get(loop).restedNanos();
    }

    private @Nullable Container open(int container) {
        KeepContainerServed task = kept.of(container);
        return task == null ? null : task.serving();
    }

    @Override
    public List<Integer> all() {
        return kept.all();
    }

    @Override
    public List<Integer> staying() {
        return kept.staying();
    }

    @Override
    public int level(int container) {
        return kept.layout().level(container);
    }

    @Override
    public int levelHere(int level) {
        return Durability.ofLevel(level).withAckQuorum(setup.ackQuorum()).level();
    }

    /** Containers that a healthy process serves: all that stay, except new ones that were not opened yet. */
    public List<Integer> expected() {
        return kept.tasks().stream()
                .filter(KeepContainerServed::hasServed)
                .map(KeepContainerServed::id)
                .filter(kept.staying()::contains)
                .toList();
    }

    @Override
    public @Nullable String owner(int container) {
        return serving(container) == null ? null : setup.node().nodeId();
    }

    /** Ends all terms; what is in flight is finished first, within a bound. */
    @Override
    public void close() {
        List<KeepContainerServed> tasks;
        synchronized (this) {
            closed = true;
            tasks = kept.tasks();
        }
        tasks.forEach(KeepContainerServed::close);
        long deadline = System.nanoTime() + CLOSE.toNanos();
        try {
            for (KeepContainerServed task : tasks) {
                task.ended(Duration.ofNanos(deadline - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        renewal.close();
        loops.forEach(ContainerLoop::close);
        tasks.forEach(KeepContainerServed::discard);
    }
}
