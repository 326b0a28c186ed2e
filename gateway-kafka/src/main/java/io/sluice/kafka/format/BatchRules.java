package io.sluice.kafka.format;

import org.apache.kafka.storage.internals.log.LogConfig;

/**
 * Rules for batches of a topic.
 *
 * @param maxBytes largest batch, header included
 * @param maxRecordBytes largest record of a compressed batch, decompressed; Kafka does not check others
 * @param logAppendTime records carry the time of their append instead of the producer's
 * @param maxAheadMillis how far a record's timestamp may lie in the future
 * @param maxBehindMillis how far it may lie in the past
 * @param keys every record needs a key
 * @param walkCompressed batches are decompressed to look at their records
 */
public record BatchRules(
        int maxBytes,
        int maxRecordBytes,
        boolean logAppendTime,
        long maxAheadMillis,
        long maxBehindMillis,
        boolean keys,
        boolean walkCompressed) {
    private static final long NO_TIMESTAMP = -1;

    /** Kafka's own: one hour ahead, any time behind. */
    public static BatchRules defaults(int maxBytes, boolean walkCompressed) {
        return new BatchRules(
                maxBytes,
                LogConfig.DEFAULT_MAX_DECOMPRESSED_MESSAGE_BYTES,
                false,
                3_600_000,
                Long.MAX_VALUE,
                false,
                walkCompressed);
    }

    /** Whether a record may have this timestamp. */
    boolean takes(long timestamp, long now) {
        if (timestamp == NO_TIMESTAMP || logAppendTime) {
            return true;
        }
        // Of these two no difference can overflow: both limits are 0 or more, and so is now.
        return timestamp >= now ? timestamp - now <= maxAheadMillis : timestamp >= now - maxBehindMillis;
    }
}
