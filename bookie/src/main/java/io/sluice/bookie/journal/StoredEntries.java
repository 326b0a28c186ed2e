package io.sluice.bookie.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Map;
import org.apache.bookkeeper.bookie.Bookie;

/** Reads entries of ledgers from the files that have them. Any thread. */
final class StoredEntries implements AutoCloseable {
    /** Read from the disk at once for a client that asks for one entry after the other. */
    private static final int ENTRIES_AHEAD = 1_000;

    private static final int BYTES_AHEAD = 256 << 10;

    private final Map<Long, StoredLedger> ledgers;
    private final EntryIndex index;
    private final ByteBufAllocator buffers;
    private final ReadAhead ahead = new ReadAhead(this::near);

    /** @param ledgers that are here, as they come and go */
    StoredEntries(Map<Long, StoredLedger> ledgers, EntryIndex index, ByteBufAllocator buffers) {
        this.ledgers = ledgers;
        this.index = index;
        this.buffers = buffers;
    }

    /** One entry for a client that may ask for the next one; the caller releases it. */
    ByteBuf read(long id, long number) throws IOException {
        checkHere(id);
        return ahead.read(id, number);
    }

    /**
     * Entries as they were added, in order, read past the page cache: recovery looks at a log once, and its memory is better
     * used. The caller releases them.
     */
    List<ByteBuf> read(long id, long first, long last) throws IOException {
        List<StoredRecord> before = List.of();
        while (true) {
            List<StoredRecord> records = located(id, first, last);
            try {
                return StoredRecord.read(records, buffers);
            } catch (ClosedChannelException e) {
                // a copy of the ledger was made meanwhile, and the file it was in let go: it is where the copy is
                if (records.equals(before)) {
                    throw e;
                }
                before = records;
            }
        }
    }

    /** An entry, and unless {@code alone} those behind it that one read from the disk brings, too. */
    private List<ByteBuf> near(long id, long first, boolean alone) throws IOException {
        long last = Math.min(first + ENTRIES_AHEAD - 1, checkHere(id).lastEntry());
        return alone || last <= first ? read(id, first, first) : read(id, first, last(id, first, last));
    }

    private long last(long id, long first, long last) throws IOException {
        int together = StoredRecord.together(index.locate(id, first, last), BYTES_AHEAD);
        return first + Math.max(1, together) - 1;
    }

    private List<StoredRecord> located(long id, long first, long last) throws IOException {
        checkHere(id);
        List<StoredRecord> records = index.locate(id, first, last);
        if (records.size() <= last - first) {
            throw new Bookie.NoEntryException(id, first + records.size());
        }
        return records;
    }

    private StoredLedger checkHere(long id) throws Bookie.NoLedgerException {
        StoredLedger ledger = ledgers.get(id);
        if (ledger == null) {
            throw new Bookie.NoLedgerException(id);
        }
        return ledger;
    }

    /** The ledger is deleted. */
    void forget(long id) {
        ahead.forget(id);
    }

    @Override
    public void close() {
        ahead.close();
    }
}
