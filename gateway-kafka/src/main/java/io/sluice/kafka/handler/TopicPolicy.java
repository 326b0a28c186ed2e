package io.sluice.kafka.handler;

/**
 * What holds for topics that say nothing else.
 *
 * @param autoCreate topics spring into being when a client asks for them
 * @param defaultPartitions of topics created without a number
 * @param maxMessageBytes largest batch accepted
 * @param walkCompressed batches are decompressed to look at their records before they are stored
 * @param fetchMaxBytes largest answer to a fetch, whatever the client asks for; one batch more at most
 * @param retention how long topics keep their records; shown here, enforced elsewhere
 */
public record TopicPolicy(
        boolean autoCreate,
        int defaultPartitions,
        int maxMessageBytes,
        boolean walkCompressed,
        int fetchMaxBytes,
        Retention retention) {
    /** Age and bytes as Kafka counts them, -1 for no limit; and how often somebody looks, in milliseconds. */
    public record Retention(long millis, long bytes, long checkMillis) {
        /** As Kafka has it. */
        public static final Retention DEFAULT = new Retention(604_800_000, -1, 300_000);
    }

    public TopicPolicy {
        if (defaultPartitions < 1 || defaultPartitions > 10_000) {
            throw new IllegalArgumentException("default partitions must be 1 to 10000, not " + defaultPartitions);
        }
        if (maxMessageBytes < 1024 || fetchMaxBytes < 1024) {
            throw new IllegalArgumentException("message and fetch limits must be at least 1024 bytes");
        }
    }
}
