package io.sluice.transactions;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Failed steps of a shard, to be done again after a pause that grows with each failure. One or fewer for each marker that is under way. Any
 * thread.
 */
final class Retries {
    static final long FIRST_PAUSE_MILLIS = 100;
    static final long LONGEST_PAUSE_MILLIS = 1_000;

    private final ShardTerm term;
    private final PriorityQueue<Waiting> steps = new PriorityQueue<>(Comparator.comparingLong(Waiting::due));

    private record Waiting(long due, Runnable step) {}

    Retries(ShardTerm term) {
        this.term = term;
    }

    /** @param failures how often the step has failed, from 1 on */
    void add(int failures, Runnable step) {
        long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures - 1, 10));
        synchronized (steps) {
            if (!term.isOver()) {
                steps.add(new Waiting(term.now() + pause, step));
            }
        }
    }

    /** Does again what has waited for its pause. */
    void run() {
        for (Runnable step : due()) {
            if (!term.isOver()) {
                step.run();
            }
        }
    }

    private List<Runnable> due() {
        List<Runnable> due = new ArrayList<>();
        synchronized (steps) {
            for (Waiting next = steps.peek(); next != null && next.due <= term.now(); next = steps.peek()) {
                due.add(steps.remove().step);
            }
        }
        return due;
    }

    void clear() {
        synchronized (steps) {
            steps.clear();
        }
    }
}
