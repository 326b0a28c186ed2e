package io.sluice.kafka.handler;

/**
 * What holds for topics that say nothing else.
 *
 * @param autoCreate topics spring into being when a client asks for them
 * @param defaultPartitions of topics created without a number
 * @param maxMessageBytes largest batch accepted
 * @param fetchMaxBytes largest answer to a fetch, whatever the client asks for; one batch more at most
 */
public record TopicPolicy(boolean autoCreate, int defaultPartitions, int maxMessageBytes, int fetchMaxBytes) {
    public TopicPolicy {
        if (defaultPartitions < 1 || defaultPartitions > 10_000) {
            throw new IllegalArgumentException("default partitions must be 1 to 10000, not " + defaultPartitions);
        }
        if (maxMessageBytes < 1024 || fetchMaxBytes < 1024) {
            throw new IllegalArgumentException("message and fetch limits must be at least 1024 bytes");
        }
    }
}
