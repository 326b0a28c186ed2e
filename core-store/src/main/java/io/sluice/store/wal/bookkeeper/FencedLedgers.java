package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.FrameReader;
import io.sluice.store.wal.WalException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.bookkeeper.client.api.ReadHandle;

/**
 * The ledgers of earlier terms. They are read one after the other; while one is given to the reader, the first frames of those behind it
 * are on their way: after some terms a log is many small ledgers, each of which would cost the time of an answer. Any thread.
 */
final class FencedLedgers implements AutoCloseable {
    private final BookKeeperLedgers ledgers;
    private final TreeMap<Long, ReadHandle> handles;
    private final List<Long> numbers;
    /** Asked for their first frames, which no reader has yet. */
    private final Map<Long, LedgerReplay> begun = new HashMap<>();

    FencedLedgers(BookKeeperLedgers ledgers, Map<Long, ReadHandle> handles) {
        this.ledgers = ledgers;
        this.handles = new TreeMap<>(handles);
        this.numbers = List.copyOf(this.handles.keySet());
    }

    /** All that there were, oldest first. */
    List<Long> numbers() {
        return numbers;
    }

    void replay(long number, FrameReader reader) throws WalException {
        replay(number).into(reader);
    }

    private synchronized LedgerReplay replay(long number) {
        ReadHandle handle = handles.get(number);
        if (handle == null) {
            throw new IllegalArgumentException("ledger " + number + " is not one of " + handles.keySet());
        }
        LedgerReplay early = begun.remove(number);
        LedgerReplay replay = early == null ? new LedgerReplay(ledgers, handle) : early;
        replay.begin();
        beginBehind(number);
        return replay;
    }

    /** As many as have a batch together. */
    private void beginBehind(long number) {
        long room = ledgers.settings().readAheadBytes();
        for (LedgerReplay each : begun.values()) {
            room -= each.bytesOfFirst();
        }
        for (Map.Entry<Long, ReadHandle> each : handles.tailMap(number, false).entrySet()) {
            LedgerReplay next = begun.get(each.getKey());
            if (next == null) {
                next = new LedgerReplay(ledgers, each.getValue());
                room -= next.bytesOfFirst();
                if (room < 0) {
                    return;
                }
                next.begin();
                begun.put(each.getKey(), next);
            }
        }
    }

    /** Ledgers below {@code firstRetained} are not asked for any more. */
    synchronized void drop(long firstRetained) {
        handles.headMap(firstRetained).clear();
        begun.entrySet().removeIf(each -> {
            boolean dropped = each.getKey() < firstRetained;
            if (dropped) {
                each.getValue().close();
            }
            return dropped;
        });
    }

    @Override
    public synchronized void close() {
        begun.values().forEach(LedgerReplay::close);
        begun.clear();
        handles.values().forEach(ReadHandle::closeAsync);
        handles.clear();
    }
}
