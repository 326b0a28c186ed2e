package io.sluice.kafka.format;

/**
 * What a topic accepts.
 *
 * @param maxBytes largest batch, header included
 * @param logAppendTime records carry the time of their append instead of the producer's
 * @param maxAheadMillis how far a record's timestamp may lie in the future
 * @param maxBehindMillis how far it may lie in the past
 */
public record BatchRules(int maxBytes, boolean logAppendTime, long maxAheadMillis, long maxBehindMillis) {
    /** Kafka's own: one hour ahead, any time behind. */
    public static BatchRules defaults(int maxBytes) {
        return new BatchRules(maxBytes, false, 3_600_000, Long.MAX_VALUE);
    }
}
