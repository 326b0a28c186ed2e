package io.sluice.broker.compaction;

import io.sluice.broker.topic.Topic;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * When a partition is compacted, and what stays longer than that, under the names of Kafka's settings. Pure.
 *
 * @param minDirtyRatio part of the bytes that must be new since the last time, 0 to 1
 * @param minLagMillis age under which records are not compacted
 * @param maxLagMillis age by which records are, whatever the ratio
 * @param deleteRetentionMillis how long tombstones and markers stay
 * @param minDirtyBytes bytes that must be new since the last time, unless they are older than {@code maxLagMillis}
 */
public record CompactionPolicy(
        double minDirtyRatio, long minLagMillis, long maxLagMillis, long deleteRetentionMillis, long minDirtyBytes) {
    /** As Kafka's. */
    public static final CompactionPolicy DEFAULT = new CompactionPolicy(0.5, 0, Long.MAX_VALUE, 86_400_000, 0);

    /**
     * Policy of coordinator logs: a load never reads more than 8 MiB and four times what is alive, and each byte that stays alive is
     * written again at most once for three that died.
     */
    public static final CompactionPolicy INTERNAL =
            new CompactionPolicy(0.75, 0, Long.MAX_VALUE, DEFAULT.deleteRetentionMillis, 8 << 20);

    private static final String CLEANUP_SETTING = "cleanup.policy";
    private static final String CLEANUP_BY_RETENTION = "delete";
    private static final String CLEANUP_BY_KEY = "compact";

    /**
     * Null if the topic is not compacted.
     *
     * @param internal of topics that are internal
     */
    public static @Nullable CompactionPolicy of(Topic topic, CompactionPolicy internal) {
        if (topic.internal()) {
            return internal;
        }
        Map<String, String> settings = topic.settings();
        String cleanup = settings.getOrDefault(CLEANUP_SETTING, CLEANUP_BY_RETENTION);
        if (!List.of(cleanup.strip().split("\\s*,\\s*")).contains(CLEANUP_BY_KEY)) {
            return null;
        }
        return new CompactionPolicy(
                ratioOf(settings.get("min.cleanable.dirty.ratio")),
                longOf(settings.get("min.compaction.lag.ms"), DEFAULT.minLagMillis),
                longOf(settings.get("max.compaction.lag.ms"), DEFAULT.maxLagMillis),
                longOf(settings.get("delete.retention.ms"), DEFAULT.deleteRetentionMillis),
                DEFAULT.minDirtyBytes);
    }

    /** Parses a setting that was perhaps stored unchecked: the other protocol may have written no number. */
    private static long longOf(@Nullable String value, long otherwise) {
        try {
            return value == null ? otherwise : Math.max(0, Long.parseLong(value.strip()));
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    private static double ratioOf(@Nullable String value) {
        try {
            return value == null ? DEFAULT.minDirtyRatio : Math.clamp(Double.parseDouble(value.strip()), 0, 1);
        } catch (NumberFormatException e) {
            return DEFAULT.minDirtyRatio;
        }
    }

    /**
     * Amount of a partition to compact.
     *
     * @param cleanBytes that were compacted before
     * @param dirtyBytes that may be compacted now and were not before
     * @param oldest timestamp of the oldest of those, milliseconds since the epoch
     */
    record Dirt(long cleanBytes, long dirtyBytes, long oldest) {
        double ratio() {
            return dirtyBytes == 0 ? 0 : (double) dirtyBytes / (cleanBytes + dirtyBytes);
        }
    }

    /** How young a record may be that is compacted at {@code now}: those before this time, milliseconds since the epoch. */
    long olderThan(long now) {
        return minLagMillis == 0 ? Long.MAX_VALUE : now - minLagMillis;
    }

    boolean isDue(Dirt dirt, long now) {
        if (dirt.dirtyBytes == 0) {
            return false;
        }
        boolean late = dirt.oldest >= 0 && maxLagMillis < now - dirt.oldest;
        return late || dirt.dirtyBytes >= minDirtyBytes && dirt.ratio() > minDirtyRatio;
    }
}
