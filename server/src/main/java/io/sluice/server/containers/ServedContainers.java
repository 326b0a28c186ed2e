package io.sluice.server.containers;

import io.sluice.store.cluster.LeaseRenewal;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.container.Container;
import io.sluice.store.container.ContainerLoop;
import io.sluice.store.container.ContainerStats;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The containers of this process, each kept served by a task of its own, on as many loops as there are cores to use. */
public final class ServedContainers implements Containers, AutoCloseable {
    private static final Duration CLOSE = Duration.ofMillis(3_500);

    private final String nodeId;
    private final List<Integer> all;
    private final List<ContainerLoop> loops = new ArrayList<>();
    private final List<KeepContainerServed> tasks = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<ServingListener> listeners = new CopyOnWriteArrayList<>();
    private final LeaseRenewal renewal;
    private final CompletableFuture<String> broken = new CompletableFuture<>();

    /** @param loopCount threads that turn containers */
    public ServedContainers(StoreLayout layout, ContainerSetup setup, int loopCount) {
        nodeId = setup.node().nodeId();
        all = IntStream.range(0, layout.containers()).boxed().toList();
        renewal = new LeaseRenewal(
                setup.lease(), renewal -> Thread.ofVirtual().name("renew-lease").start(renewal));
        for (int loop = 0; loop < Math.min(loopCount, layout.containers()); loop++) {
            String name = "container-loop-" + loop;
            loops.add(new ContainerLoop(name, why -> loopDied(name, why)));
        }
        for (int id : all) {
            tasks.add(new KeepContainerServed(id, setup, loops.get(loopOf(id)), renewal, new ServingListener() {
                @Override
                public void serving(int container) {
                    listeners.forEach(listener -> listener.serving(container));
                }

                @Override
                public void stopped(int container) {
                    listeners.forEach(listener -> listener.stopped(container));
                }
            }));
        }
    }

    /** Its containers have ended, and with nobody to turn their next terms the process had better begin anew. */
    private void loopDied(String loop, Throwable why) {
        renewal.close();
        broken.complete(loop + " failed, and with it the containers that it turns: " + why + "; the log says where");
    }

    /** Completes with the reason, in one line, when containers can be served here no longer. */
    public CompletableFuture<String> broken() {
        return broken;
    }

    /** Begins to open all containers, side by side; returns at once. */
    public void start() {
        renewal.start(Thread.ofVirtual().name("watch-leases").factory());
        loops.forEach(ContainerLoop::start);
        for (int id : all) {
            threads.add(Thread.ofVirtual().name("keep-container-" + id).start(tasks.get(id)));
        }
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

    /** What keeps a container from ever being served, in one line; null if nothing is known to. */
    public @Nullable String damage() {
        for (int id : all) {
            String damage = tasks.get(id).damage();
            if (damage != null) {
                return "container " + id + " cannot be recovered: " + damage;
            }
        }
        return null;
    }

    public boolean allServing() {
        return tasks.stream().allMatch(task -> task.serving() != null);
    }

    /**
     * Asks the container's loop, which answers when what it wrote before is durable. Any thread.
     *
     * @return null if the container is well, else what is wrong, in one line
     */
    public CompletableFuture<@Nullable String> probe(int container) {
        SegmentContainer serving = serving(container);
        return serving == null
                ? CompletableFuture.completedFuture("container " + container + " is not served, the log says why")
                : ContainerProbe.of(container, serving);
    }

    /** Listeners hear of changes from now on. */
    public void onServing(ServingListener listener) {
        listeners.add(listener);
    }

    @Override
    public @Nullable SegmentContainer serving(int container) {
        Container serving = container >= 0 && container < tasks.size()
                ? tasks.get(container).serving()
                : null;
        return serving == null ? null : serving.segments();
    }

    /** The containers served now. */
    public List<Container> served() {
        return tasks.stream()
                .<@Nullable Container>map(KeepContainerServed::serving)
                .filter(c -> c != null)
                .<Container>map(c -> (Container) c)
                .toList();
    }

    /** How the container fares; null while it is not served here. */
    public @Nullable ContainerStats stats(int container) {
        Container serving = tasks.get(container).serving();
        return serving == null ? null : serving.stats();
    }

    /** The number of the loop that turns the container. */
    public int loopOf(int container) {
        return container % loops.size();
    }

    /** How long that loop has rested since it began, in nanoseconds. */
    public long restedNanos(int loop) {
        return loops.get(loop).restedNanos();
    }

    @Override
    public List<Integer> all() {
        return all;
    }

    @Override
    public @Nullable String owner(int container) {
        return serving(container) == null ? null : nodeId;
    }

    /** Ends all terms; what is in flight is finished first, within a bound. */
    @Override
    public void close() {
        tasks.forEach(KeepContainerServed::close);
        long deadline = System.nanoTime() + CLOSE.toNanos();
        try {
            for (Thread thread : threads) {
                long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
                thread.join(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        renewal.close();
        loops.forEach(ContainerLoop::close);
    }
}
