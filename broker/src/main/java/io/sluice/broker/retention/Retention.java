package io.sluice.broker.retention;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.Topic;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How long a topic keeps its entries, under the names of Kafka's settings. Pure.
 *
 * <p>As with Kafka's segments, what goes are whole runs of entries from the oldest on: those whose newest timestamp is over
 * the age, and those without which a partition still has the bytes. And as with Pulsar's ledgers, what a durable
 * subscription has not acknowledged stays, whatever its age.
 *
 * @param millis age over which entries may go; -1 is never
 * @param bytes that a partition keeps of its newest; -1 is all
 */
public record Retention(long millis, long bytes) {
    public static final String MILLIS_SETTING = "retention.ms";
    public static final String BYTES_SETTING = "retention.bytes";
    private static final String CLEANUP_SETTING = "cleanup.policy";
    private static final String CLEANUP_BY_RETENTION = "delete";

    /** Nothing ever goes. */
    public static final Retention KEEP = new Retention(-1, -1);

    public Retention {
        if (millis < -1 || bytes < -1) {
            throw new IllegalArgumentException(
                    "Retention is 0 and above, or -1: " + millis + " ms, " + bytes + " bytes");
        }
    }

    /** Retention of a topic: its own settings, or the {@code defaults} where it has none. */
    public static Retention of(Topic topic, Retention defaults) {
        Map<String, String> settings = topic.settings();
        String cleanup = settings.getOrDefault(CLEANUP_SETTING, CLEANUP_BY_RETENTION);
        if (topic.internal() || !List.of(cleanup.strip().split("\\s*,\\s*")).contains(CLEANUP_BY_RETENTION)) {
            return KEEP;
        }
        return new Retention(
                longOf(settings.get(MILLIS_SETTING), defaults.millis()),
                longOf(settings.get(BYTES_SETTING), defaults.bytes()));
    }

    /** Parses a setting that was perhaps stored unchecked: one that is no number deletes nothing. */
    private static long longOf(@Nullable String value, long otherwise) {
        if (value == null) {
            return otherwise;
        }
        try {
            return Math.max(-1, Long.parseLong(value.strip()));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    public boolean keepsAll() {
        return millis < 0 && bytes < 0;
    }

    /**
     * The offset below which the partition's entries may go; its start if none may. Loop only.
     *
     * @param now milliseconds since the epoch
     */
    public long cut(PartitionLog log, long now) {
        if (keepsAll()) {
            return log.startOffset();
        }
        long olderThan = millis < 0 ? Long.MIN_VALUE : now - millis;
        long cut = log.retention().firstKept(olderThan, bytes < 0 ? Long.MAX_VALUE : bytes);
        for (Cursor cursor : log.subscriptions().all()) {
            // what is below the start, and perhaps not acknowledged, holds nothing any more
            cut = Math.min(cut, cursor.nextUnacked(log.startOffset()));
        }
        return Math.max(cut, log.startOffset());
    }
}
