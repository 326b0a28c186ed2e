package io.sluice.store.segment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Containers without a store, all served here unless stopped. Restarting one begins its next term. */
public final class InMemoryContainers implements Containers, AutoCloseable {
    private final SegmentRiderFactory riderFactory;
    private final LongSupplier clock;
    private final boolean threads;
    private final Map<Integer, InMemoryLog> logs = new TreeMap<>();
    private final Map<Integer, InMemoryContainer> serving = new ConcurrentHashMap<>();
    private final Set<Integer> leaving = ConcurrentHashMap.newKeySet();

    private InMemoryContainers(int count, SegmentRiderFactory riderFactory, LongSupplier clock, boolean threads) {
        this.riderFactory = riderFactory;
        this.clock = clock;
        this.threads = threads;
        for (int i = 0; i < count; i++) {
            logs.put(i, new InMemoryLog());
        }
    }

    /** Containers with a loop thread each; not started yet, so that whoever makes the riders may look at this first. */
    public static InMemoryContainers withLoops(int count, SegmentRiderFactory riderFactory, LongSupplier clock) {
        return new InMemoryContainers(count, riderFactory, clock, true);
    }

    /** Containers whose loop is the thread that starts them. */
    public static InMemoryContainers callerDriven(int count, SegmentRiderFactory riderFactory, LongSupplier clock) {
        return new InMemoryContainers(count, riderFactory, clock, false);
    }

    /** Starts the containers that do not run. */
    public InMemoryContainers start() {
        logs.keySet().forEach(this::start);
        return this;
    }

    public void start(int id) {
        InMemoryLog log = logs.get(id);
        if (log == null || serving.containsKey(id)) {
            return;
        }
        InMemoryContainer container = new InMemoryContainer(id, log, riderFactory, clock);
        if (threads) {
            container.startLoop();
        }
        serving.put(id, container);
    }

    /** Ends the term; what was not durable is lost. */
    public void stop(int id) {
        InMemoryContainer container = serving.remove(id);
        InMemoryLog log = logs.get(id);
        if (container != null && log != null) {
            container.stopAndJoin();
            log.loseTail();
        }
    }

    /** The container's log acknowledges appends and notes before they are safe: see {@link #crashMachine}. Before it runs. */
    public void defer(int id) {
        InMemoryLog log = logs.get(id);
        if (log != null) {
            log.deferred = true;
        }
    }

    /** Ends the term and begins the next; of a log that defers, what was not synced is lost. */
    public void crashMachine(int id) {
        InMemoryContainer container = serving.remove(id);
        InMemoryLog log = logs.get(id);
        if (container != null && log != null) {
            container.stopAndJoin();
            log.loseUnsynced();
        }
        start(id);
    }

    /** Ends the term and begins the next; unacknowledged operations survive, as they may. */
    public void restartKeepingTail(int id) {
        InMemoryContainer container = serving.remove(id);
        InMemoryLog log = logs.get(id);
        if (container != null && log != null) {
            container.stopAndJoin();
            log.keepTail();
        }
        start(id);
    }

    /** Ends all terms and begins the next ones: every rider is rebuilt from the log. */
    public void restart() {
        logs.keySet().forEach(this::stop);
        start();
    }

    /** One turn of every loop; returns how much was done. For caller-driven containers. */
    public int doWork() {
        return List.copyOf(serving.values()).stream()
                .mapToInt(InMemoryContainer::doWork)
                .sum();
    }

    /** Runs turns until none does anything. */
    public void drain() {
        int done;
        do {
            done = doWork();
        } while (done > 0);
    }

    /** Runs {@code task} on the container's loop and waits for what it returns. */
    public <T extends @Nullable Object> T onLoop(int id, Supplier<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        InMemoryContainer container = get(id);
        container.execute(LoopTask.of(
                () -> {
                    try {
                        result.complete(task.get());
                    } catch (Throwable t) {
                        result.completeExceptionally(t);
                    }
                },
                why -> result.completeExceptionally(new IllegalStateException(why.message()))));
        if (!threads) {
            container.doWork();
        }
        return result.join();
    }

    public InMemoryContainer get(int id) {
        InMemoryContainer container = serving.get(id);
        if (container == null) {
            throw new IllegalStateException("container " + id + " is not served");
        }
        return container;
    }

    /** Buffers given out by the present terms and not yet released. */
    public int lentBuffers() {
        return serving.values().stream()
                .mapToInt(InMemoryContainer::lentBuffers)
                .sum();
    }

    @Override
    public @Nullable SegmentContainer serving(int container) {
        return serving.get(container);
    }

    @Override
    public List<Integer> all() {
        return new ArrayList<>(logs.keySet());
    }

    /** The container takes no new segments from now on. */
    public void leave(int id) {
        leaving.add(id);
    }

    @Override
    public List<Integer> staying() {
        return all().stream().filter(id -> !leaving.contains(id)).toList();
    }

    @Override
    public @Nullable String owner(int container) {
        return serving.containsKey(container) ? "localhost" : null;
    }

    @Override
    public void close() {
        logs.keySet().forEach(this::stop);
    }
}
