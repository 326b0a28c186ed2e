package io.sluice.kafka.format;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.server.config.ServerLogConfigs;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.jspecify.annotations.Nullable;

/**
 * The per-topic settings that Kafka clients may give, by Kafka's names. All are kept and shown; those that speak of Kafka's
 * files (segments, flushing, replicas) have no meaning here and change nothing.
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

    /** One setting. {@code accepts} takes the value's text. */
    public record Setting(String name, Type type, String defaultValue, Predicate<String> accepts) {
        /** Kafka's own text. */
        public String documentation() {
            return Objects.requireNonNull(LogConfig.configKeys().get(name)).documentation;
        }
    }

    /** Kafka's own default of the largest batch, in bytes. */
    public static final int KAFKA_MAX_MESSAGE_BYTES = ServerLogConfigs.MAX_MESSAGE_BYTES_DEFAULT;

    private static final String COMPRESSION = TopicConfig.COMPRESSION_TYPE_CONFIG;
    private static final String PRODUCERS_COMPRESSION = "producer";

    private static final Map<String, Setting> ALL = new TreeMap<>();

    static {
        choice(TopicConfig.CLEANUP_POLICY_CONFIG, Type.LIST, "delete", TopicSettings::isCleanupPolicy);
        choice(
                COMPRESSION,
                Type.STRING,
                PRODUCERS_COMPRESSION,
                Set.of(PRODUCERS_COMPRESSION, "uncompressed", "gzip", "snappy", "lz4", "zstd")::contains);
        level(TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG, CompressionType.GZIP);
        level(TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG, CompressionType.LZ4);
        level(TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG, CompressionType.ZSTD);
        choice(
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                Type.STRING,
                "CreateTime",
                Set.of("CreateTime", "LogAppendTime")::contains);
        number(
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                Type.INT,
                String.valueOf(KAFKA_MAX_MESSAGE_BYTES),
                0,
                Integer.MAX_VALUE);
        number(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, Type.LONG, "3600000", 0, Long.MAX_VALUE);
        number(
                TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG,
                Type.LONG,
                String.valueOf(Long.MAX_VALUE),
                0,
                Long.MAX_VALUE);
        number(TopicConfig.RETENTION_MS_CONFIG, Type.LONG, "604800000", -1, Long.MAX_VALUE);
        number(TopicConfig.RETENTION_BYTES_CONFIG, Type.LONG, "-1", -1, Long.MAX_VALUE);
        number(TopicConfig.DELETE_RETENTION_MS_CONFIG, Type.LONG, "86400000", 0, Long.MAX_VALUE);
        number(TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG, Type.LONG, "0", 0, Long.MAX_VALUE);
        number(TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG, Type.LONG, String.valueOf(Long.MAX_VALUE), 1, Long.MAX_VALUE);
        number(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, Type.INT, "1", 1, Integer.MAX_VALUE);
        number(TopicConfig.SEGMENT_BYTES_CONFIG, Type.INT, "1073741824", 1, Integer.MAX_VALUE);
        number(TopicConfig.SEGMENT_MS_CONFIG, Type.LONG, "604800000", 1, Long.MAX_VALUE);
        number(TopicConfig.SEGMENT_JITTER_MS_CONFIG, Type.LONG, "0", 0, Long.MAX_VALUE);
        number(TopicConfig.SEGMENT_INDEX_BYTES_CONFIG, Type.INT, "10485760", 4, Integer.MAX_VALUE);
        number(TopicConfig.INDEX_INTERVAL_BYTES_CONFIG, Type.INT, "4096", 0, Integer.MAX_VALUE);
        number(
                TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG,
                Type.LONG,
                String.valueOf(Long.MAX_VALUE),
                1,
                Long.MAX_VALUE);
        number(TopicConfig.FLUSH_MS_CONFIG, Type.LONG, String.valueOf(Long.MAX_VALUE), 0, Long.MAX_VALUE);
        number(TopicConfig.FILE_DELETE_DELAY_MS_CONFIG, Type.LONG, "60000", 0, Long.MAX_VALUE);
        choice(TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, Type.DOUBLE, "0.5", TopicSettings::isRatio);
        flag(TopicConfig.PREALLOCATE_CONFIG);
        flag(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG);
    }

    private TopicSettings() {}

    public static Collection<Setting> all() {
        return ALL.values();
    }

    /**
     * Why a setting cannot be taken; null if it can.
     *
     * @param copies of a record that is acknowledged
     */
    public static @Nullable String whyNot(String name, @Nullable String value, int copies) {
        Setting setting = ALL.get(name);
        if (setting == null) {
            return "unknown topic setting " + name;
        }
        if (value == null || !setting.accepts().test(value)) {
            return "invalid value " + value + " for " + name;
        }
        if (name.equals(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG) && Integer.parseInt(value) > copies) {
            return name + " cannot be more than " + copies
                    + ": so many copies of a record has this server's log when it is acknowledged, for every topic";
        }
        return null;
    }

    /** How many copies an acknowledged record must have where the producer asks for all. */
    public static int minInSyncReplicas(Map<String, String> settings) {
        return settings.isEmpty() ? 1 : (int) longOf(settings, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, 1);
    }

    /** The rules for batches of a topic with these explicit settings. */
    public static BatchRules batchRules(Map<String, String> settings, BatchRules defaults) {
        if (settings.isEmpty()) {
            return defaults;
        }
        return new BatchRules(
                (int) longOf(settings, TopicConfig.MAX_MESSAGE_BYTES_CONFIG, defaults.maxBytes()),
                "LogAppendTime".equals(settings.get(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG)),
                longOf(settings, TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, defaults.maxAheadMillis()),
                longOf(settings, TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, defaults.maxBehindMillis()),
                settings.getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, "").contains("compact"),
                defaults.walkCompressed());
    }

    /** What batches of the topic are stored in; null if in what the producer chose. */
    public static @Nullable Compression compression(Map<String, String> settings) {
        String name = settings.isEmpty() ? null : settings.get(TopicConfig.COMPRESSION_TYPE_CONFIG);
        if (name == null || name.equals(PRODUCERS_COMPRESSION) || whyNot(COMPRESSION, name, 1) != null) {
            return null;
        }
        return switch (name) {
            case "gzip" ->
                Compression.gzip()
                        .level(level(settings, TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG, CompressionType.GZIP))
                        .build();
            case "lz4" ->
                Compression.lz4()
                        .level(level(settings, TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG, CompressionType.LZ4))
                        .build();
            case "zstd" ->
                Compression.zstd()
                        .level(level(settings, TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG, CompressionType.ZSTD))
                        .build();
            case "snappy" -> Compression.snappy().build();
            default -> Compression.NONE;
        };
    }

    private static int level(Map<String, String> settings, String name, CompressionType type) {
        return (int) longOf(settings, name, type.defaultLevel());
    }

    private static void level(String name, CompressionType type) {
        choice(name, Type.INT, String.valueOf(type.defaultLevel()), text -> {
            try {
                type.levelValidator().ensureValid(name, Integer.valueOf(text));
                return true;
            } catch (NumberFormatException | ConfigException e) {
                return false;
            }
        });
    }

    private static long longOf(Map<String, String> settings, String name, long otherwise) {
        String value = settings.get(name);
        // What another door wrote need not have passed whyNot.
        return value != null
                        && ALL.get(name) instanceof Setting s
                        && s.accepts().test(value)
                ? Long.parseLong(value)
                : otherwise;
    }

    private static void choice(String name, Type type, String defaultValue, Predicate<String> accepts) {
        ALL.put(name, new Setting(name, type, defaultValue, accepts));
    }

    private static void flag(String name) {
        choice(name, Type.BOOLEAN, "false", Set.of("true", "false")::contains);
    }

    private static void number(String name, Type type, String defaultValue, long min, long max) {
        choice(name, type, defaultValue, text -> {
            try {
                long value = Long.parseLong(text);
                return value >= min && value <= max;
            } catch (NumberFormatException e) {
                return false;
            }
        });
    }

    private static boolean isCleanupPolicy(String text) {
        List<String> policies = List.of(text.split(","));
        return !policies.isEmpty() && Set.of("delete", "compact").containsAll(policies);
    }

    private static boolean isRatio(String text) {
        try {
            double value = Double.parseDouble(text);
            return value >= 0 && value <= 1;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
