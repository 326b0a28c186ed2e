package io.sluice.broker.balance;

/**
 * When containers are uneven and how quickly that is changed.
 *
 * @param floor load, in bytes a second, at or below which a container is never hot
 * @param hotFactor times the mean load: above it for {@code hotMillis} a container is hot
 * @param evenFactor times the mean load: a hot container gives partitions away until it is at or below it
 * @param strained pressure, 0 to 1, from which a container takes no partitions and is hot above {@code strainedFactor}
 * @param strainedFactor times the mean load
 * @param leastPartition load, in bytes a second, of a partition that is worth a move
 * @param hotMillis how long a container is hot before anything moves; and how long one is served before its load is believed
 * @param partitionMillis a partition stays for at least so long after a move
 * @param containerMillis a container that took a partition gives none for so long, and the other way round
 * @param movesPerRound at most
 * @param movesPerHour at most
 */
public record BalanceSettings(
        double floor,
        double hotFactor,
        double evenFactor,
        double strained,
        double strainedFactor,
        double leastPartition,
        long hotMillis,
        long partitionMillis,
        long containerMillis,
        int movesPerRound,
        int movesPerHour) {
    public static final BalanceSettings DEFAULT =
            new BalanceSettings(1 << 20, 1.5, 1.15, 0.6, 1.3, 16 << 10, 10_000, 600_000, 60_000, 8, 400);

    public BalanceSettings {
        if (!(evenFactor > 1 && strainedFactor > evenFactor && hotFactor >= strainedFactor)) {
            throw new IllegalArgumentException(
                    "factors must fall: " + hotFactor + ", " + strainedFactor + ", " + evenFactor + ", 1");
        }
    }
}
