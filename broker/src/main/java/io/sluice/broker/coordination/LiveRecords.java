package io.sluice.broker.coordination;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is alive in a log, as far as it has been read: the last record of each key that counts, in the order in which they
 * began to count; keys whose last record is a tombstone are gone. Beside it what transactions have written that are undecided.
 * Holds copies, about as much memory as what is alive.
 */
final class LiveRecords implements RecordFormat.Reader {
    /** A record's own bytes besides key and value, about. */
    private static final int RECORD_OVERHEAD = 32;

    private final Map<ByteBuffer, Placed> last = new LinkedHashMap<>();
    private final Map<Long, List<Placed>> undecided = new HashMap<>();

    private record Placed(LogRecord record, long offset) {}

    @Override
    public void record(LogRecord record, long offset, long transaction) {
        Placed placed = new Placed(record.copy(), offset);
        if (transaction == RecordFormat.NO_TRANSACTION) {
            counts(placed);
        } else {
            undecided.computeIfAbsent(transaction, t -> new ArrayList<>()).add(placed);
        }
    }

    @Override
    public void ended(long transaction, boolean committed) {
        List<Placed> decided = undecided.remove(transaction);
        if (decided == null || !committed) {
            return;
        }
        for (Placed placed : decided) {
            Placed now = last.get(placed.record.key());
            if (now == null || now.offset < placed.offset) {
                counts(placed);
            }
        }
    }

    private void counts(Placed placed) {
        ByteBuffer key = placed.record.key();
        last.remove(key);
        if (placed.record.value() != null) {
            last.put(key, placed);
        }
    }

    /** First offset that an undecided transaction has written; {@link Long#MAX_VALUE} if there is none. */
    long undecidedFrom() {
        return undecided.values().stream()
                .flatMap(List::stream)
                .mapToLong(Placed::offset)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** First offset of what is alive; {@link Long#MAX_VALUE} if nothing is. */
    long firstOffset() {
        return last.values().stream().mapToLong(Placed::offset).min().orElse(Long.MAX_VALUE);
    }

    /** Bytes of what is alive, about. */
    long bytes() {
        return last.values().stream().mapToLong(placed -> sizeOf(placed.record)).sum();
    }

    /**
     * Those before {@code end} that may be copied, in batches of about so many bytes. A copy would overtake what an undecided
     * transaction has written of its key.
     */
    List<List<LogRecord>> batches(int bytes, long end) {
        Set<ByteBuffer> held = new HashSet<>();
        undecided.values().forEach(all -> all.forEach(placed -> held.add(placed.record.key())));
        List<List<LogRecord>> batches = new ArrayList<>();
        int room = 0;
        for (Placed placed : last.values()) {
            if (placed.offset >= end || held.contains(placed.record.key())) {
                continue;
            }
            int size = sizeOf(placed.record);
            if (size > room) {
                batches.add(new ArrayList<>());
                room = bytes;
            }
            batches.getLast().add(placed.record);
            room -= size;
        }
        return batches;
    }

    private static int sizeOf(LogRecord record) {
        ByteBuffer value = record.value();
        return record.key().remaining() + (value == null ? 0 : value.remaining()) + RECORD_OVERHEAD;
    }
}
