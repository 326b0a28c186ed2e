package io.sluice.kafka.handler;

import io.sluice.broker.topic.Topic;
import java.util.HashMap;
import java.util.Map;

/**
 * Defaults of topics.
 *
 * @param autoCreate topics spring into being when a client asks for them
 * @param defaultPartitions of topics created without a number
 * @param maxMessageBytes largest batch accepted
 * @param walkCompressed batches are decompressed to look at their records before they are stored
 * @param fetchMaxBytes largest answer to a fetch, whatever the client asks for; one batch more at most
 * @param retention how long topics keep their records; shown here, enforced elsewhere
 * @param elastic topics created without a number of partitions are elastic, if they do not say otherwise
 * @param durability level of topics that do not say theirs; shown here, had elsewhere
 */
public record TopicPolicy(
        boolean autoCreate,
        int defaultPartitions,
        int maxMessageBytes,
        boolean walkCompressed,
        int fetchMaxBytes,
        Retention retention,
        boolean elastic,
        int durability) {
    /** Defaults under which topics are elastic only by their own setting. */
    public TopicPolicy(
            boolean autoCreate,
            int defaultPartitions,
            int maxMessageBytes,
            boolean walkCompressed,
            int fetchMaxBytes,
            Retention retention) {
        this(autoCreate, defaultPartitions, maxMessageBytes, walkCompressed, fetchMaxBytes, retention, false, 1);
    }

    /** Age and bytes as Kafka counts them, -1 for no limit; and the period of the checks, in milliseconds. */
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

    /** Partitions of a topic that has these settings and no number. */
    int partitions(Map<String, String> settings) {
        return Boolean.parseBoolean(settings.get(Topic.ELASTIC)) ? Topic.ELASTIC_PARTITIONS : defaultPartitions;
    }

    /** Settings of a topic that is created without a number of partitions. */
    Map<String, String> withElasticity(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        if (elastic) {
            all.putIfAbsent(Topic.ELASTIC, "true");
        }
        return all;
    }
}
