package io.sluice.pulsar.namespace;

import io.sluice.broker.topic.Topic;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes may come to a partition before it is compacted; 0 for any number. The topic's own setting decides, else its namespace's,
 * else the server's. Any thread.
 */
public final class CompactionThresholds {
    private static final String SETTING = "pulsar.compaction.threshold";

    private final long ofServer;
    private final NamespacePolicies policies;

    public CompactionThresholds(long ofServer, NamespacePolicies policies) {
        this.ofServer = ofServer;
        this.policies = policies;
    }

    /** Null where the topic has no setting of its own. */
    public static @Nullable Long ofTopic(Topic topic) {
        String value = topic.settings().get(SETTING);
        return value == null ? null : Long.valueOf(value);
    }

    public long of(Topic topic) {
        Long own = ofTopic(topic);
        Long ofNamespace =
                policies.of(topic.name().tenant(), topic.name().namespace()).compactionThreshold();
        long otherwise = ofNamespace == null ? ofServer : ofNamespace;
        return own == null ? otherwise : own;
    }

    /** The topic's settings with another one for this; null for none. */
    public static Map<String, String> set(Topic topic, @Nullable Long bytes) {
        Map<String, String> settings = new HashMap<>(topic.settings());
        settings.remove(SETTING);
        if (bytes != null) {
            settings.put(SETTING, bytes.toString());
        }
        return settings;
    }
}
