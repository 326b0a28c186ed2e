package io.sluice.kafka.handler;

import io.sluice.kafka.api.GroupConfigurations;
import io.sluice.kafka.format.TopicSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.server.config.ServerConfigs;
import org.apache.kafka.server.config.ServerLogConfigs;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.jspecify.annotations.Nullable;

/** Settings as Kafka's config APIs show them: with where a value comes from, what it would be otherwise, and Kafka's text. */
final class ConfigView {
    private ConfigView() {}

    /**
     * @param readOnly cannot be changed over the protocol
     * @param synonyms what gives the value, in order of precedence: the first one does
     */
    record Entry(
            String name,
            String value,
            TopicSettings.Type type,
            boolean readOnly,
            String documentation,
            List<Synonym> synonyms) {
        ConfigSource source() {
            return synonyms.isEmpty()
                    ? ConfigSource.DEFAULT_CONFIG
                    : synonyms.getFirst().source();
        }
    }

    /** A setting of this or, if it is the server's for all topics, of another name. */
    record Synonym(String name, String value, ConfigSource source) {}

    /**
     * @param explicit what was set on the topic
     * @param ofNamespace level of durability of the topic's namespace; null where none was set
     */
    static List<Entry> ofTopic(Map<String, String> explicit, @Nullable Integer ofNamespace, TopicPolicy policy) {
        List<Entry> entries = new ArrayList<>();
        for (TopicSettings.Setting setting : TopicSettings.all()) {
            List<Synonym> synonyms = new ArrayList<>();
            String value = explicit.get(setting.name());
            if (value != null) {
                synonyms.add(new Synonym(setting.name(), value, ConfigSource.TOPIC_CONFIG));
            }
            String ofServer = ofServer(setting.name(), policy);
            addServerSynonyms(setting, ofServer, synonyms);
            String otherwise = ofServer == null ? setting.defaultValue() : ofServer;
            entries.add(new Entry(
                    setting.name(),
                    value == null ? otherwise : value,
                    setting.type(),
                    false,
                    setting.documentation(),
                    synonyms));
        }
        String durability = explicit.get(TopicSettings.DURABILITY.name());
        if (durability != null || ofNamespace != null || policy.durability() != 1) {
            entries.add(durability(durability, ofNamespace, policy.durability()));
        }
        String elastic = explicit.get(TopicSettings.ELASTIC.name());
        if (elastic != null) {
            entries.add(new Entry(
                    TopicSettings.ELASTIC.name(),
                    elastic,
                    TopicSettings.ELASTIC.type(),
                    true,
                    TopicSettings.ELASTIC.documentation(),
                    List.of(new Synonym(TopicSettings.ELASTIC.name(), elastic, ConfigSource.TOPIC_CONFIG))));
        }
        for (TopicSettings.Setting setting :
                List.of(TopicSettings.SCALING_BYTES, TopicSettings.SCALING_EVENTS, TopicSettings.WIRE_FORMAT)) {
            String own = explicit.get(setting.name());
            if (own != null) {
                entries.add(new Entry(
                        setting.name(),
                        own,
                        setting.type(),
                        false,
                        setting.documentation(),
                        List.of(new Synonym(setting.name(), own, ConfigSource.TOPIC_CONFIG))));
            }
        }
        return entries;
    }

    static List<Entry> ofGroup(List<GroupConfigurations.Setting> settings) {
        List<Entry> entries = new ArrayList<>();
        for (GroupConfigurations.Setting each : settings) {
            List<Synonym> synonyms = new ArrayList<>();
            String own = each.own();
            if (own != null) {
                synonyms.add(new Synonym(each.name(), own, ConfigSource.GROUP_CONFIG));
            }
            synonyms.add(new Synonym(each.name(), each.otherwise(), ConfigSource.DEFAULT_CONFIG));
            entries.add(new Entry(
                    each.name(),
                    each.value(),
                    TopicSettings.Type.valueOf(each.type()),
                    false,
                    each.documentation(),
                    synonyms));
        }
        return entries;
    }

    private static Entry durability(@Nullable String own, @Nullable Integer ofNamespace, int ofServer) {
        TopicSettings.Setting setting = TopicSettings.DURABILITY;
        List<Synonym> synonyms = new ArrayList<>();
        if (own != null) {
            synonyms.add(new Synonym(setting.name(), own, ConfigSource.TOPIC_CONFIG));
        }
        if (ofNamespace != null) {
            // between a topic's own setting and the server's file Kafka has this one
            synonyms.add(
                    new Synonym(setting.name(), ofNamespace.toString(), ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG));
        }
        if (!String.valueOf(ofServer).equals(setting.defaultValue())) {
            synonyms.add(new Synonym("topics.durability", String.valueOf(ofServer), ConfigSource.STATIC_BROKER_CONFIG));
        }
        return new Entry(
                setting.name(),
                synonyms.isEmpty()
                        ? setting.defaultValue()
                        : synonyms.getFirst().value(),
                setting.type(),
                false,
                setting.documentation(),
                synonyms);
    }

    private static void addServerSynonyms(
            TopicSettings.Setting setting, @Nullable String ofServer, List<Synonym> synonyms) {
        var serverNames = ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS.get(setting.name());
        if (serverNames == null) {
            return;
        }
        String name = serverNames.getFirst().name();
        if (ofServer != null && !ofServer.equals(setting.defaultValue())) {
            synonyms.add(new Synonym(name, ofServer, ConfigSource.STATIC_BROKER_CONFIG));
        }
        // Of what a server can be given in several units, the default is that of another unit.
        if (serverNames.size() == 1) {
            synonyms.add(new Synonym(name, setting.defaultValue(), ConfigSource.DEFAULT_CONFIG));
        }
    }

    /** The server's default for a topic setting; null if the server has none. */
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

    static List<Entry> ofBroker(int broker, TopicPolicy policy) {
        return List.of(
                fixed(
                        ServerLogConfigs.AUTO_CREATE_TOPICS_ENABLE_CONFIG,
                        policy.autoCreate(),
                        ServerLogConfigs.AUTO_CREATE_TOPICS_ENABLE_DEFAULT,
                        TopicSettings.Type.BOOLEAN,
                        ServerLogConfigs.AUTO_CREATE_TOPICS_ENABLE_DOC),
                fixed(
                        ServerConfigs.BROKER_ID_CONFIG,
                        broker,
                        ServerConfigs.BROKER_ID_DEFAULT,
                        TopicSettings.Type.INT,
                        ServerConfigs.BROKER_ID_DOC),
                fixed(
                        "default.replication.factor",
                        1,
                        1,
                        TopicSettings.Type.INT,
                        "Replicas of a partition, as Kafka counts them. How many copies of a record are kept is the log's"
                                + " concern and the same for all topics."),
                fixed(
                        ServerConfigs.FETCH_MAX_BYTES_CONFIG,
                        policy.fetchMaxBytes(),
                        ServerConfigs.FETCH_MAX_BYTES_DEFAULT,
                        TopicSettings.Type.INT,
                        ServerConfigs.FETCH_MAX_BYTES_DOC),
                fixed(
                        ServerLogConfigs.LOG_RETENTION_BYTES_CONFIG,
                        policy.retention().bytes(),
                        ServerLogConfigs.LOG_RETENTION_BYTES_DEFAULT,
                        TopicSettings.Type.LONG,
                        ServerLogConfigs.LOG_RETENTION_BYTES_DOC),
                fixed(
                        ServerLogConfigs.LOG_CLEANUP_INTERVAL_MS_CONFIG,
                        policy.retention().checkMillis(),
                        ServerLogConfigs.LOG_CLEANUP_INTERVAL_MS_DEFAULT,
                        TopicSettings.Type.LONG,
                        ServerLogConfigs.LOG_CLEANUP_INTERVAL_MS_DOC),
                fixed(
                        ServerLogConfigs.LOG_RETENTION_TIME_MILLIS_CONFIG,
                        policy.retention().millis(),
                        null,
                        TopicSettings.Type.LONG,
                        ServerLogConfigs.LOG_RETENTION_TIME_MILLIS_DOC),
                fixed(
                        ServerConfigs.MESSAGE_MAX_BYTES_CONFIG,
                        policy.maxMessageBytes(),
                        TopicSettings.KAFKA_MAX_MESSAGE_BYTES,
                        TopicSettings.Type.INT,
                        ServerConfigs.MESSAGE_MAX_BYTES_DOC),
                fixed(
                        ServerLogConfigs.NUM_PARTITIONS_CONFIG,
                        policy.defaultPartitions(),
                        ServerLogConfigs.NUM_PARTITIONS_DEFAULT,
                        TopicSettings.Type.INT,
                        ServerLogConfigs.NUM_PARTITIONS_DOC));
    }

    /** @param kafkas Kafka's own default; null if it has none */
    private static Entry fixed(
            String name, Object value, @Nullable Object kafkas, TopicSettings.Type type, String documentation) {
        List<Synonym> synonyms = new ArrayList<>();
        if (!value.equals(kafkas)) {
            synonyms.add(new Synonym(name, value.toString(), ConfigSource.STATIC_BROKER_CONFIG));
        }
        if (kafkas != null) {
            synonyms.add(new Synonym(name, kafkas.toString(), ConfigSource.DEFAULT_CONFIG));
        }
        return new Entry(name, value.toString(), type, true, documentation, synonyms);
    }
}
