package io.sluice.broker.coordination;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a rewritten log is: the last record of each key, in the order in which they were written; keys whose last record is
 * a tombstone are gone. Holds copies, about as much memory as what is alive.
 */
final class LiveRecords {
    /** A record's own bytes besides key and value, about. */
    private static final int RECORD_OVERHEAD = 32;

    private final Map<ByteBuffer, LogRecord> last = new LinkedHashMap<>();

    void add(LogRecord record) {
        LogRecord copy = record.copy();
        last.remove(copy.key());
        if (copy.value() != null) {
            last.put(copy.key(), copy);
        }
    }

    /** All of them, in batches of about so many bytes. */
    List<List<LogRecord>> batches(int bytes) {
        List<List<LogRecord>> batches = new ArrayList<>();
        int room = 0;
        for (LogRecord record : last.values()) {
            int size = sizeOf(record);
            if (size > room) {
                batches.add(new ArrayList<>());
                room = bytes;
            }
            batches.getLast().add(record);
            room -= size;
        }
        return batches;
    }

    private static int sizeOf(LogRecord record) {
        ByteBuffer value = record.value();
        return record.key().remaining() + (value == null ? 0 : value.remaining()) + RECORD_OVERHEAD;
    }
}
