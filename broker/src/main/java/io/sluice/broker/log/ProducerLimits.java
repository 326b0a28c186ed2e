package io.sluice.broker.log;

/**
 * How much a partition remembers of its producers.
 *
 * @param maxProducers of each protocol; beyond it the one that wrote longest ago is forgotten, but for those with an open
 *     transaction, which half of them may have
 * @param expiryMillis how long a producer that writes nothing, and has no transaction open, is remembered
 */
public record ProducerLimits(int maxProducers, long expiryMillis) {
    /** 10,000 producers, a day (Kafka's {@code producer.id.expiration.ms}). */
    public static final ProducerLimits DEFAULT = new ProducerLimits(10_000, 86_400_000);

    public ProducerLimits {
        if (maxProducers < 1 || expiryMillis < 1) {
            throw new IllegalArgumentException("producer limits must be positive");
        }
    }

    /** Producers that are remembered and may have a transaction open at a time. */
    public int maxInTransactions() {
        return Math.max(1, maxProducers / 2);
    }

    /** How far the clock may run ahead of the last time the log has seen before it is told again. */
    public long clockGrain() {
        return Math.max(1, expiryMillis / 64);
    }
}
