package io.sluice.transactions;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Failed steps of a shard, to be done again after a pause that grows with each failure. Pauses are counted in calls of {@link #run}: a
 * clock that is set back prolongs none. One or fewer for each marker that is under way. Any thread.
 */
final class Retries {
    /** Longest pause before a step is done again, in calls. */
    static final int LONGEST_PAUSE = 10;

    private final ShardTerm term;
    private final PriorityQueue<Waiting> steps = new PriorityQueue<>(Comparator.comparingLong(Waiting::due));
    private long calls;

    private record Waiting(long due, Runnable step) {}

    Retries(ShardTerm term) {
        this.term = term;
    }

    /** @param failures how often the step has failed, from 1 on */
    void add(int failures, Runnable step) {
        int pause = Math.min(LONGEST_PAUSE, 1 << Math.min(failures - 1, LONGEST_PAUSE));
        synchronized (steps) {
            if (!term.isOver()) {
                steps.add(new Waiting(calls + pause, step));
            }
        }
    }

    /** Does again what has waited for its pause; ten times a second. */
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
            calls++;
            for (Waiting next = steps.peek(); next != null && next.due <= calls; next = steps.peek()) {
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
