package io.sluice.kafka.handler;

import io.sluice.kafka.format.TopicSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.jspecify.annotations.Nullable;

/** Settings as Kafka's config APIs show them. */
final class ConfigView {
    private ConfigView() {}

    /** @param readOnly cannot be changed over the protocol */
    record Entry(String name, String value, TopicSettings.Type type, ConfigSource source, boolean readOnly) {}

    /** @param explicit what was set on the topic */
    static List<Entry> ofTopic(Map<String, String> explicit, TopicPolicy policy) {
        List<Entry> entries = new ArrayList<>();
        for (TopicSettings.Setting setting : TopicSettings.all()) {
            String value = explicit.get(setting.name());
            String ofServer = ofServer(setting.name(), policy);
            if (value != null) {
                entries.add(new Entry(setting.name(), value, setting.type(), ConfigSource.TOPIC_CONFIG, false));
            } else if (ofServer != null && !ofServer.equals(setting.defaultValue())) {
                entries.add(
                        new Entry(setting.name(), ofServer, setting.type(), ConfigSource.STATIC_BROKER_CONFIG, false));
            } else {
                entries.add(new Entry(
                        setting.name(), setting.defaultValue(), setting.type(), ConfigSource.DEFAULT_CONFIG, false));
            }
        }
        return entries;
    }

    /** What the server says for topics that say nothing; null for settings of which it has no say. */
    private static @Nullable String ofServer(String name, TopicPolicy policy) {
        return switch (name) {
            case TopicConfig.MAX_MESSAGE_BYTES_CONFIG -> String.valueOf(policy.maxMessageBytes());
            case TopicConfig.RETENTION_MS_CONFIG ->
                String.valueOf(policy.retention().millis());
            case TopicConfig.RETENTION_BYTES_CONFIG ->
                String.valueOf(policy.retention().bytes());
            default -> null;
        };
    }

    static List<Entry> ofBroker(ServerNode node, TopicPolicy policy) {
        return List.of(
                fixed("auto.create.topics.enable", String.valueOf(policy.autoCreate()), TopicSettings.Type.BOOLEAN),
                fixed("broker.id", String.valueOf(node.id()), TopicSettings.Type.INT),
                fixed("default.replication.factor", "1", TopicSettings.Type.INT),
                fixed("fetch.max.bytes", String.valueOf(policy.fetchMaxBytes()), TopicSettings.Type.INT),
                fixed("log.retention.bytes", String.valueOf(policy.retention().bytes()), TopicSettings.Type.LONG),
                fixed(
                        "log.retention.check.interval.ms",
                        String.valueOf(policy.retention().checkMillis()),
                        TopicSettings.Type.LONG),
                fixed("log.retention.ms", String.valueOf(policy.retention().millis()), TopicSettings.Type.LONG),
                fixed("message.max.bytes", String.valueOf(policy.maxMessageBytes()), TopicSettings.Type.INT),
                fixed("num.partitions", String.valueOf(policy.defaultPartitions()), TopicSettings.Type.INT));
    }

    private static Entry fixed(String name, String value, TopicSettings.Type type) {
        return new Entry(name, value, type, ConfigSource.STATIC_BROKER_CONFIG, true);
    }
}
