package io.sluice.store.container;

import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer.Scheduled;
import io.sluice.store.segment.StoreFailure;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tasks for later. Those of one moment run in the order in which they were set. Times in microseconds. Loop only. */
final class Timers {
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private long set;
    /** Cancelled ones in the queue. */
    private int cancelled;

    private final class Timer implements Comparable<Timer>, Scheduled {
        private final long at;
        private final long order;
        /** Null once it has run or is not wanted. */
        private @Nullable LoopTask task;

        Timer(long at, long order, LoopTask task) {
            this.at = at;
            this.order = order;
            this.task = task;
        }

        @Nullable
        LoopTask take() {
            LoopTask taken = task;
            task = null;
            cancelled -= taken == null ? 1 : 0;
            return taken;
        }

        @Override
        public int compareTo(Timer other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }

        @Override
        public void cancel() {
            if (task != null) {
                task = null;
                cancelled++;
                sweep();
            }
        }
    }

    Scheduled set(long at, LoopTask task) {
        Timer timer = new Timer(at, set++, task);
        timers.add(timer);
        return timer;
    }

    /** Cancelled ones go when they are half of all, so that cancelling costs the same however many there are. */
    private void sweep() {
        if (cancelled > timers.size() / 2) {
            timers.removeIf(timer -> timer.task == null);
            cancelled = 0;
        }
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
            LoopTask task = first.take();
            if (task != null) {
                run.accept(task);
                fired++;
            }
        }
        return fired;
    }

    /** Timers that are still wanted. */
    int size() {
        return timers.size() - cancelled;
    }

    long nextAt() {
        Timer first = timers.peek();
        return first == null ? Long.MAX_VALUE : first.at;
    }

    void abandon(StoreFailure why) {
        for (Timer first = timers.poll(); first != null; first = timers.poll()) {
            LoopTask task = first.take();
            if (task != null) {
                TermEnd.abandon(task, why);
            }
        }
    }
}
