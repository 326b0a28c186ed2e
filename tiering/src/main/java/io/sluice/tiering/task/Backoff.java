package io.sluice.tiering.task;

import java.util.random.RandomGenerator;

/**
 * Pauses before retries: doubling from the first to the longest, each cut by up to a half at random, so that many
 * containers do not come back at the same moment.
 *
 * @param firstMillis before the first retry
 * @param longestMillis bound of all later ones
 */
public record Backoff(long firstMillis, long longestMillis) {
    public Backoff {
        if (firstMillis <= 0 || longestMillis < firstMillis) {
            throw new IllegalArgumentException(
                    "Retry pauses must rise from above 0: " + firstMillis + ", " + longestMillis);
        }
    }

    /** Milliseconds to wait after {@code failures} failures in a row, 1 or more. */
    public long pauseMillis(int failures, RandomGenerator random) {
        int doublings = Math.min(failures - 1, Long.numberOfLeadingZeros(firstMillis) - 2);
        long pause = Math.min(longestMillis, firstMillis << doublings);
        return pause - random.nextLong(pause / 2 + 1);
    }
}
