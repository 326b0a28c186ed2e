package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PrimitiveIterator;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.bookkeeper.util.collections.ConcurrentLongLongHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the entries are. Filled each second and before a read, from what the journal has written since ({@link WrittenFile}) and, of files that
 * were there at the start, by scanning them: a read that had to scan first would take the longer, the longer there was none. About 48 bytes per
 * entry of the ledgers that are alive. Callers take turns: entries are read in recovery only.
 */
final class EntryIndex implements AutoCloseable {
    /** A location is a file's slot and the position behind the record's length in it. */
    private static final int POSITION_BITS = 44;

    private static final long NOWHERE = -1;

    private final List<Path> journals;
    private final FoundRecords found;
    private final Observer observer;
    private final Map<Path, Integer> slots = new HashMap<>();
    private final TreeMap<Integer, RecordFile> files = new TreeMap<>();
    private final Map<Long, Entries> ledgers = new HashMap<>();
    private int nextSlot;
    private boolean closed;

    /** Told of every record that a scan meets. */
    interface Observer {
        /** Whether its entries are worth remembering. */
        boolean met(RecordFile file, long ledger, long entry, long lastConfirmed, long at, int length)
                throws IOException;
    }

    /** A ledger's entries by their numbers: where their records begin, behind the length, and that length. */
    private static final class Entries {
        final ConcurrentLongLongHashMap locations = newMap();
        final ConcurrentLongLongHashMap lengths = newMap();

        private static ConcurrentLongLongHashMap newMap() {
            return ConcurrentLongLongHashMap.newBuilder()
                    .expectedItems(64)
                    .concurrencyLevel(1)
                    .build();
        }
    }

    /**
     * @param journals folders of BookKeeper's journals
     * @param found records of theirs that need not be looked for
     */
    EntryIndex(List<Path> journals, FoundRecords found, Observer observer) {
        this.journals = List.copyOf(journals);
        this.found = found;
        this.observer = observer;
    }

    /** Looks at everything the journals have that was not looked at before. */
    synchronized void scanJournals() throws IOException {
        for (Path journal : journals) {
            for (Path path : JournalFormat.files(journal)) {
                try {
                    scan(path, false);
                } catch (NoSuchFileException e) {
                    // let go of since it was listed: it has nothing of a ledger that is left
                }
            }
        }
    }

    /** Looks at a file of {@link KeptLedgers}. What it has of a ledger replaces what was known of those entries. */
    synchronized void scanKept(Path file) throws IOException {
        close(file);
        scan(file, true);
    }

    private void scan(Path path, boolean kept) throws IOException {
        Integer slot = slots.get(path);
        boolean isNew = slot == null;
        if (slot == null) {
            RecordFile opened = kept ? RecordFile.ofKept(path) : RecordFile.ofJournal(path);
            if (opened.isEmpty()) {
                // the journal may be about to put a spare file in its place, and would never write into this one
                opened.close();
                return;
            }
            slot = nextSlot++;
            slots.put(path, slot);
            files.put(slot, opened);
        }
        long base = (long) slot << POSITION_BITS;
        RecordFile scanned = file(slot);
        RecordFile.Scanner remember = (file, ledger, entry, lastConfirmed, at, length) -> {
            if (observer.met(file, ledger, entry, lastConfirmed, at, length) && entry >= 0) {
                Entries entries = ledgers.computeIfAbsent(ledger, none -> new Entries());
                entries.locations.put(entry, base + at);
                entries.lengths.put(entry, length);
            }
        };
        FileRecords known = isNew ? found.take(path) : null;
        if (known != null) {
            scanned.tell(known, remember);
        }
        scanned.scan(remember);
    }

    private RecordFile file(int slot) {
        RecordFile file = files.get(slot);
        if (file == null) {
            throw new IllegalStateException("file " + slot + " of the journal was let go while a ledger needs it");
        }
        return file;
    }

    /** Where these entries are, up to the first that is not there. They can be read without waiting for other callers. */
    synchronized List<StoredRecord> locate(long ledger, long first, long last) throws IOException {
        checkOpen();
        List<StoredRecord> records = new ArrayList<>();
        boolean scanned = false;
        long next = first;
        while (next <= last) {
            StoredRecord record = locate(ledger, next);
            if (record != null) {
                records.add(record);
                next++;
            } else if (scanned) {
                break;
            } else {
                scanJournals();
                scanned = true;
            }
        }
        return records;
    }

    private @Nullable StoredRecord locate(long ledger, long entry) {
        Entries entries = ledgers.get(ledger);
        // the map knows no negative numbers, which clients may ask for
        long location = entries == null || entry < 0 ? NOWHERE : entries.locations.get(entry);
        return entries == null || location == NOWHERE
                ? null
                : new StoredRecord(
                        file((int) (location >>> POSITION_BITS)), location & ((1L << POSITION_BITS) - 1), (int)
                                entries.lengths.get(entry));
    }

    /** Numbers of the entries that are here, rising. */
    synchronized PrimitiveIterator.OfLong entries(long ledger) throws IOException {
        checkOpen();
        scanJournals();
        return sorted(ledger).iterator();
    }

    private LongStream sorted(long ledger) {
        Entries entries = ledgers.get(ledger);
        return entries == null
                ? LongStream.empty()
                : entries.locations.keys().stream().mapToLong(Long::longValue).sorted();
    }

    /** Copies the ledger's entries, lengths included. */
    synchronized void copyEntries(long ledger, WritableByteChannel to) throws IOException {
        for (long entry : sorted(ledger).toArray()) {
            StoredRecord record = Objects.requireNonNull(locate(ledger, entry));
            record.file().copy(record.at() - Integer.BYTES, Integer.BYTES + record.length(), to);
        }
    }

    synchronized void forget(long ledger) {
        ledgers.remove(ledger);
    }

    /** Closes a file that is needed no more; an open file keeps its disk space. */
    synchronized void close(Path path) throws IOException {
        Integer slot = slots.remove(path);
        if (slot != null) {
            RecordFile file = files.remove(slot);
            if (file != null) {
                file.close();
            }
        }
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("the bookie has stopped: its journal is not read any more");
        }
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        for (RecordFile file : files.values()) {
            file.close();
        }
        files.clear();
        slots.clear();
    }
}
