package io.sluice.perf.cache;

import java.util.Random;

/** The random test's steps, drawn beforehand and the same for everyone: 60 % insert, 40 % delete one of what is there. */
final class RandomPlan {
    private static final int INSERT_PERCENT = 60;
    private static final int SEED = 2;

    /** A key to insert, or the complement of one to delete. */
    private final int[] steps;

    private final int keys;
    private final int peak;

    private RandomPlan(int[] steps, int keys, int peak) {
        this.steps = steps;
        this.keys = keys;
        this.peak = peak;
    }

    static RandomPlan of(int operations) {
        var random = new Random(SEED);
        int[] steps = new int[operations];
        int[] live = new int[operations];
        int count = 0;
        int keys = 0;
        int peak = 0;
        for (int step = 0; step < operations; step++) {
            if (count == 0 || random.nextInt(100) < INSERT_PERCENT) {
                steps[step] = keys;
                live[count++] = keys++;
                peak = Math.max(peak, count);
            } else {
                int victim = random.nextInt(count);
                steps[step] = ~live[victim];
                live[victim] = live[--count];
            }
        }
        return new RandomPlan(steps, keys, peak);
    }

    /** Room that a cache needs for the plan. */
    Room room(int entryBytes) {
        return new Room(keys, peak, entryBytes);
    }

    void run(CacheUnderTest cache, Payload payload) {
        for (int step : steps) {
            if (step >= 0) {
                payload.insertInto(cache, step);
            } else {
                cache.delete(~step);
            }
        }
    }
}
