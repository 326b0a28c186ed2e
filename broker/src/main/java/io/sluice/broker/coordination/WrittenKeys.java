package io.sluice.broker.coordination;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The keys that were written since a rewrite's scan began: a copy of an older record of such a key would undo the newer one.
 * Loop only.
 */
final class WrittenKeys {
    private final int most;
    private final Set<ByteBuffer> keys = new HashSet<>();
    private long bytes;

    /** @param most bytes of keys, with 64 for each key's own objects */
    WrittenKeys(int most) {
        this.most = most;
    }

    void add(LogRecord record) {
        if (!keys.contains(record.key()) && !isFull()) {
            ByteBuffer key = LogRecord.copyOf(record.key());
            keys.add(key);
            bytes += key.remaining() + 64L;
        }
    }

    /** From here on. */
    void forget() {
        keys.clear();
        bytes = 0;
    }

    /** No more keys fit: what is held is no longer all. */
    boolean isFull() {
        return bytes > most;
    }

    /** Those whose key was not written since; {@code records} itself if none was. */
    List<LogRecord> unwritten(List<LogRecord> records) {
        if (keys.isEmpty() || records.stream().noneMatch(record -> keys.contains(record.key()))) {
            return records;
        }
        return records.stream().filter(record -> !keys.contains(record.key())).toList();
    }
}
