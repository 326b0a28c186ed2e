package io.sluice.kafka.format;

import io.sluice.broker.topic.Topic;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.server.config.ServerLogConfigs;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.jspecify.annotations.Nullable;

/**
 * The per-topic settings that Kafka clients may give: Kafka's own, checked by Kafka's own definition. All are kept and shown;
 * docs/topic-settings.md says what each does here.
 */
public final class TopicSettings {
    /** Kinds of value, as DescribeConfigs tells them. */
    public enum Type {
        BOOLEAN(1),
        STRING(2),
        INT(3),
        LONG(5),
        DOUBLE(6),
        LIST(7);

        private final byte code;

        Type(int code) {
            this.code = (byte) code;
        }

        public byte code() {
            return code;
        }
    }

    /** One setting, with Kafka's default and Kafka's text. */
    public record Setting(String name, Type type, String defaultValue, String documentation) {}

    /** Kafka's own default of the largest batch, in bytes. */
    public static final int KAFKA_MAX_MESSAGE_BYTES = ServerLogConfigs.MAX_MESSAGE_BYTES_DEFAULT;

    private static final Map<String, ConfigDef.ConfigKey> KEYS = LogConfig.configKeys();
    private static final List<Setting> ALL = LogConfig.nonInternalConfigNames().stream()
            .sorted()
            .map(name -> setting(key(name)))
            .toList();

    /** Not Kafka's: shown of topics that have it. */
    public static final Setting ELASTIC = new Setting(
            Topic.ELASTIC,
            Type.BOOLEAN,
            "false",
            "Partitions cost nothing before somebody writes to them, and there are " + Topic.ELASTIC_PARTITIONS
                    + " if no number is given. Given when the topic is created; cannot be changed.");

    /** Not Kafka's: shown of topics that have it, and of all where the server's own is not the default. */
    public static final Setting DURABILITY = new Setting(
            Topic.DURABILITY,
            Type.INT,
            "1",
            "What an acknowledgement waits for, whatever a producer's acks are. 1: the log's ack quorum has the record on disk;"
                    + " 2: the ack quorum has it, its disks a moment later; 3: one copy on disk; 4: one copy, its disk a moment"
                    + " later. Where the log has one copy, 3 is 1 and 4 is 2. When it is changed, the partitions move.");

    /** Not Kafka's: shown of topics that have it. */
    public static final Setting SCALING_BYTES = new Setting(
            Topic.SCALING_BYTES,
            Type.LONG,
            "50000000",
            "Bytes a second written to neighbouring partitions of an elastic topic that lie together, above which a part of them"
                    + " moves elsewhere; five times as many read. Below a tenth of it for a while they come together again. 0 is no"
                    + " limit.");

    /** Not Kafka's: shown of topics that have it. */
    public static final Setting SCALING_EVENTS = new Setting(
            Topic.SCALING_EVENTS,
            Type.LONG,
            "10000",
            "Records a second, as " + Topic.SCALING_BYTES
                    + " has bytes. Where both are 0 the partitions stay where they are.");

    /** Not Kafka's: shown of topics that have it. */
    public static final Setting WIRE_FORMAT = new Setting(
            Topic.WIRE_FORMAT,
            Type.STRING,
            Topic.WIRE_FORMAT_PULSAR,
            "For whose clients contents are brought out of, or into, the wire format of Confluent's serializers, where the"
                    + " schema is the topic's. pulsar: Pulsar's clients get what Kafka's wrote without it; both: Kafka's clients"
                    + " also get what Pulsar's wrote in it; keep: contents stay as they are.");

    private TopicSettings() {}

    private static Setting setting(ConfigDef.ConfigKey key) {
        return new Setting(
                key.name,
                Type.valueOf(key.type.name()),
                Objects.requireNonNull(ConfigDef.convertToString(key.defaultValue, key.type)),
                key.documentation);
    }

    private static ConfigDef.ConfigKey key(String name) {
        return Objects.requireNonNull(KEYS.get(name), name);
    }

    /** By name. */
    public static List<Setting> all() {
        return ALL;
    }

    /**
     * Why a topic cannot have these settings; null if it can.
     *
     * @param settings a value may be null, which is refused
     * @param before what it has already: an unchanged value is not refused, for an earlier release may have taken it
     */
    public static @Nullable String whyNot(Map<String, @Nullable String> settings, Map<String, String> before) {
        Map<String, String> checked = new HashMap<>();
        for (Map.Entry<String, @Nullable String> each : settings.entrySet()) {
            String value = each.getValue();
            if (value == null) {
                return "Null value not supported for topic configs: " + each.getKey();
            }
            boolean unchanged = value.equals(before.get(each.getKey()));
            String why = whyNot(Map.of(each.getKey(), value));
            if (why == null) {
                checked.put(each.getKey(), value);
            } else if (!unchanged) {
                return why;
            }
        }
        // Some values exclude each other.
        return whyNot(checked);
    }

    private static @Nullable String whyNot(Map<String, String> settings) {
        Map<String, String> kafkas = new HashMap<>(settings);
        String elastic = kafkas.remove(Topic.ELASTIC);
        if (elastic != null && !elastic.equals("true") && !elastic.equals("false")) {
            return "Invalid value " + elastic + " for configuration " + Topic.ELASTIC
                    + ": Expected value to be either true or false";
        }
        String durability = kafkas.remove(Topic.DURABILITY);
        if (durability != null && !Topic.isDurability(durability)) {
            return "Invalid value " + durability + " for configuration " + Topic.DURABILITY + ": Value must be 1 to "
                    + Topic.LEAST_DURABLE;
        }
        String wireFormat = kafkas.remove(Topic.WIRE_FORMAT);
        if (wireFormat != null && !Topic.isWireFormat(wireFormat)) {
            return "Invalid value " + wireFormat + " for configuration " + Topic.WIRE_FORMAT + ": Value must be "
                    + Topic.WIRE_FORMATS;
        }
        for (String name : List.of(Topic.SCALING_BYTES, Topic.SCALING_EVENTS)) {
            String limit = kafkas.remove(name);
            if (limit != null && !Topic.isScalingLimit(limit)) {
                return "Invalid value " + limit + " for configuration " + name
                        + ": Value must be a number from 0 to 999999999999999";
            }
        }
        try {
            LogConfig.validate(kafkas);
            return null;
        } catch (ConfigException | InvalidConfigurationException e) {
            return e.getMessage();
        }
    }

    /** How many copies an acknowledged record must have where the producer asks for all. */
    public static int minInSyncReplicas(Map<String, String> settings) {
        return settings.isEmpty() ? 1 : intOf(settings, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
    }

    /** The rules for batches of a topic with these explicit settings. */
    public static BatchRules batchRules(Map<String, String> settings, BatchRules defaults) {
        if (settings.isEmpty()) {
            return defaults;
        }
        return new BatchRules(
                settings.containsKey(TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
                        ? intOf(settings, TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
                        : defaults.maxBytes(),
                intOf(settings, TopicConfig.MAX_DECOMPRESSED_MESSAGE_BYTES_CONFIG),
                "LogAppendTime".equals(valueOf(settings, TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG)),
                (Long) valueOf(settings, TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG),
                (Long) valueOf(settings, TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG),
                ((List<?>) valueOf(settings, TopicConfig.CLEANUP_POLICY_CONFIG)).contains("compact"),
                defaults.walkCompressed());
    }

    /** Compression of the topic's stored batches; null keeps the producer's. */
    public static @Nullable Compression compression(Map<String, String> settings) {
        if (settings.isEmpty()) {
            return null;
        }
        return switch ((String) valueOf(settings, TopicConfig.COMPRESSION_TYPE_CONFIG)) {
            case "gzip" ->
                Compression.gzip()
                        .level(intOf(settings, TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG))
                        .build();
            case "lz4" ->
                Compression.lz4()
                        .level(intOf(settings, TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG))
                        .build();
            case "zstd" -> new ZstdTarget(intOf(settings, TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG));
            case "snappy" -> Compression.snappy().build();
            case "uncompressed" -> Compression.NONE;
            default -> null;
        };
    }

    private static int intOf(Map<String, String> settings, String name) {
        return (Integer) valueOf(settings, name);
    }

    /** The topic's value, or Kafka's default: what another door wrote need not have passed {@link #whyNot}. */
    private static Object valueOf(Map<String, String> settings, String name) {
        ConfigDef.ConfigKey key = key(name);
        String text = settings.get(name);
        if (text != null) {
            try {
                Object value = Objects.requireNonNull(ConfigDef.parseType(name, text, key.type));
                if (key.validator != null) {
                    key.validator.ensureValid(name, value);
                }
                return value;
            } catch (ConfigException e) {
                // The default.
            }
        }
        return key.defaultValue;
    }

    /** The values of a setting that is a list. */
    public static List<String> listOf(String text) {
        return text.isBlank() ? List.of() : Arrays.asList(text.strip().split("\\s*,\\s*"));
    }
}
