package io.sluice.server.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
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
 * Where the entries are. Filled by scanning files, and only when somebody reads: appending costs it nothing. About 24 bytes
 * per entry of the ledgers that are alive. Callers take turns: entries are read in recovery only.
 */
final class EntryIndex implements AutoCloseable {
    /** A location is a file's slot and the position of the record's length field in it. */
    private static final int POSITION_BITS = 44;

    private static final long NOWHERE = -1;

    private final List<Path> journals;
    private final Observer observer;
    private final Map<Path, Integer> slots = new HashMap<>();
    private final TreeMap<Integer, RecordFile> files = new TreeMap<>();
    private final Map<Long, ConcurrentLongLongHashMap> ledgers = new HashMap<>();
    private int nextSlot;

    /** Told of every record that a scan meets. */
    interface Observer {
        /** Whether its entries are worth remembering. */
        boolean met(RecordFile file, long ledger, long entry, long lastConfirmed, long at, int length)
                throws IOException;
    }

    /** @param journals folders of BookKeeper's journals */
    EntryIndex(List<Path> journals, Observer observer) {
        this.journals = List.copyOf(journals);
        this.observer = observer;
    }

    /** Looks at everything the journals have that was not looked at before. */
    synchronized void scanJournals() throws IOException {
        for (Path journal : journals) {
            List<Path> rising = JournalFormat.files(journal);
            for (Path path : rising) {
                RecordFile file = scan(path, false);
                if (!path.equals(rising.getLast())) {
                    file.finish();
                }
            }
        }
    }

    /** Looks at a file of {@link KeptLedgers}. What it has of a ledger replaces what was known of those entries. */
    synchronized void scanKept(Path file) throws IOException {
        close(file);
        scan(file, true);
    }

    private RecordFile scan(Path path, boolean kept) throws IOException {
        Integer slot = slots.get(path);
        if (slot == null) {
            slot = nextSlot++;
            slots.put(path, slot);
            files.put(slot, kept ? RecordFile.ofKept(path) : RecordFile.ofJournal(path));
        }
        long base = (long) slot << POSITION_BITS;
        RecordFile scanned = file(slot);
        scanned.scan((file, ledger, entry, lastConfirmed, at, length) -> {
            if (observer.met(file, ledger, entry, lastConfirmed, at, length) && entry >= 0) {
                ledgers.computeIfAbsent(ledger, EntryIndex::newEntries).put(entry, base + at - Integer.BYTES);
            }
        });
        return scanned;
    }

    private static ConcurrentLongLongHashMap newEntries(long ledger) {
        return ConcurrentLongLongHashMap.newBuilder()
                .expectedItems(64)
                .concurrencyLevel(1)
                .build();
    }

    private RecordFile file(int slot) {
        RecordFile file = files.get(slot);
        if (file == null) {
            throw new IllegalStateException("file " + slot + " of the journal was let go while a ledger needs it");
        }
        return file;
    }

    /** The entry as it was added, or null; the caller releases it. */
    synchronized @Nullable ByteBuf read(long ledger, long entry, ByteBufAllocator allocator) throws IOException {
        long location = locate(ledger, entry);
        if (location == NOWHERE) {
            scanJournals();
            location = locate(ledger, entry);
        }
        return location == NOWHERE ? null : read(location, allocator);
    }

    private long locate(long ledger, long entry) {
        ConcurrentLongLongHashMap entries = ledgers.get(ledger);
        return entries == null ? NOWHERE : entries.get(entry);
    }

    private ByteBuf read(long location, ByteBufAllocator allocator) throws IOException {
        RecordFile file = file((int) (location >>> POSITION_BITS));
        long at = position(location);
        ByteBuf entry = allocator.directBuffer(length(file, at));
        try {
            file.read(entry.nioBuffer(0, entry.capacity()), at + Integer.BYTES);
            return entry.writerIndex(entry.capacity());
        } catch (IOException e) {
            entry.release();
            throw e;
        }
    }

    private static long position(long location) {
        return location & ((1L << POSITION_BITS) - 1);
    }

    private static int length(RecordFile file, long at) throws IOException {
        var length = ByteBuffer.allocate(Integer.BYTES);
        file.read(length, at);
        return length.getInt(0);
    }

    /** Numbers of the entries that are here, rising. */
    synchronized PrimitiveIterator.OfLong entries(long ledger) throws IOException {
        scanJournals();
        return sorted(ledger).iterator();
    }

    private LongStream sorted(long ledger) {
        ConcurrentLongLongHashMap entries = ledgers.get(ledger);
        return entries == null
                ? LongStream.empty()
                : entries.keys().stream().mapToLong(Long::longValue).sorted();
    }

    /** Copies the ledger's entries, lengths included. What the journal may still be writing stays there only. */
    synchronized void copyEntries(long ledger, WritableByteChannel to) throws IOException {
        ConcurrentLongLongHashMap entries = ledgers.get(ledger);
        for (long entry : sorted(ledger).toArray()) {
            long location = Objects.requireNonNull(entries).get(entry);
            RecordFile file = file((int) (location >>> POSITION_BITS));
            long at = position(location);
            if (file.settled(at)) {
                file.copy(at, Integer.BYTES + length(file, at), to);
            }
        }
    }

    synchronized void forget(long ledger) {
        ledgers.remove(ledger);
    }

    /** Nobody needs the file any more; as long as it is open it takes disk space. */
    synchronized void close(Path path) throws IOException {
        Integer slot = slots.remove(path);
        if (slot != null) {
            RecordFile file = files.remove(slot);
            if (file != null) {
                file.close();
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        for (RecordFile file : files.values()) {
            file.close();
        }
        files.clear();
        slots.clear();
    }
}
