package io.sluice.transactions;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Failed steps of a shard, to be done again with the next {@link #run}. One or fewer for each marker that is under way. Any thread. */
final class Retries {
    private final ShardTerm term;
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();

    Retries(ShardTerm term) {
        this.term = term;
    }

    void add(Runnable step) {
        if (!term.isOver()) {
            steps.add(step);
        }
    }

    /** Does again what could not be done. */
    void run() {
        int now = steps.size();
        for (int i = 0; i < now; i++) {
            Runnable step = steps.poll();
            if (step != null && !term.isOver()) {
                step.run();
            }
        }
    }

    void clear() {
        steps.clear();
    }
}
