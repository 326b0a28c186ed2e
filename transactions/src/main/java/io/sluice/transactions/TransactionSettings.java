package io.sluice.transactions;

import java.time.Duration;

/**
 * How transactions behave.
 *
 * @param statePartitions partitions of the state topic when it is created; afterwards the topic's own record counts
 * @param maxTimeout longest time that a client may ask for its transactions
 * @param idExpiry an id without a transaction is forgotten after this time
 * @param maxIds transactional ids that may be known at once, in all partitions served here, and partitions in their open transactions;
 *     see {@link #within}
 */
public record TransactionSettings(int statePartitions, Duration maxTimeout, Duration idExpiry, int maxIds) {
    public static final TransactionSettings DEFAULT =
            new TransactionSettings(16, Duration.ofMinutes(15), Duration.ofDays(7), 1_000_000);

    /** Heap of an id, 550 bytes, and of a partition in its transaction, 85. */
    private static final int BYTES_OF_AN_ID = 640;

    private static final int LEAST_IDS = 1_000;

    /** The default, with as many ids as fit, a million at most. */
    public static TransactionSettings within(long heapBytes) {
        int ids = (int) Math.clamp(heapBytes / BYTES_OF_AN_ID, LEAST_IDS, DEFAULT.maxIds);
        return new TransactionSettings(DEFAULT.statePartitions, DEFAULT.maxTimeout, DEFAULT.idExpiry, ids);
    }

    public TransactionSettings {
        require(statePartitions >= 1 && statePartitions <= 1_000, "statePartitions must be 1 to 1000");
        require(
                maxTimeout.toMillis() >= 1 && maxTimeout.toMillis() <= Integer.MAX_VALUE,
                "maxTimeout must be 1 ms to 24 days");
        require(idExpiry.toMillis() >= 1, "idExpiry must be at least 1 ms");
        require(maxIds >= 1, "maxIds must be at least 1");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
