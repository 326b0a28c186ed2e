package io.sluice.store.container;

import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/** Tasks for later. Those of one moment run in the order in which they were set. Times in microseconds. Loop only. */
final class Timers {
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private long set;

    private record Timer(long at, long order, LoopTask task) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    void set(long at, LoopTask task) {
        timers.add(new Timer(at, set++, task));
    }

    /** Hands out what is due; says how many. */
    int fire(long now, Consumer<LoopTask> run) {
        int fired = 0;
        // what a timer sets for this very moment waits for the next turn
        long setBefore = set;
        for (Timer first = timers.peek();
                first != null && first.at <= now && first.order < setBefore;
                first = timers.peek()) {
            timers.remove();
            run.accept(first.task);
            fired++;
        }
        return fired;
    }

    int size() {
        return timers.size();
    }

    long nextAt() {
        Timer first = timers.peek();
        return first == null ? Long.MAX_VALUE : first.at;
    }

    void abandon(StoreFailure why) {
        for (Timer first = timers.poll(); first != null; first = timers.poll()) {
            TermEnd.abandon(first.task, why);
        }
    }
}
