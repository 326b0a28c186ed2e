package io.sluice.bookie.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.PrimitiveIterator;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.bookkeeper.bookie.Bookie;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.CheckpointSource;
import org.apache.bookkeeper.bookie.CheckpointSource.Checkpoint;
import org.apache.bookkeeper.bookie.Checkpointer;
import org.apache.bookkeeper.bookie.CompactableLedgerStorage;
import org.apache.bookkeeper.bookie.EntryLocation;
import org.apache.bookkeeper.bookie.LastAddConfirmedUpdateNotification;
import org.apache.bookkeeper.bookie.LedgerDirsManager;
import org.apache.bookkeeper.bookie.StateManager;
import org.apache.bookkeeper.common.util.Watcher;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.meta.LedgerManager;
import org.apache.bookkeeper.proto.BookieProtocol;
import org.apache.bookkeeper.stats.StatsLogger;
import org.jspecify.annotations.Nullable;

/**
 * Ledgers that stay in the journal until they are deleted.
 *
 * <pre>
 *   add ──► journal (fsynced, acknowledged)          nothing else is written
 *            ╰─► index: where the records are        in memory
 *   read ─► index ─► journal                         in recovery only
 *   delete ► the journal's files before the oldest ledger that is left are deleted
 *   a ledger that outlives its share of the journal: its records are copied to a file of its own
 * </pre>
 *
 * <p>A write-ahead log is read only when its owner has died, and deleted soon. Writing it a second time, sorted and
 * indexed, as BookKeeper's own storages do, doubles what the disk has to write for nobody.
 *
 * <p>An entry is found once the journal has written it, which for an acknowledged one is before, and for one that was on
 * its way when its ledger was fenced is at the latest when the fencing is answered.
 *
 * <p>Set {@code journalLedgerStorage.retainedBytes} to how much journal may be kept before ledgers are copied out of it.
 */
public final class JournalLedgerStorage implements CompactableLedgerStorage {
    /** BookKeeper setting: bytes of journal kept for ledgers that are alive, before they are copied. */
    public static final String RETAINED_BYTES = "journalLedgerStorage.retainedBytes";

    private static final long DEFAULT_RETAINED_BYTES = 1L << 30;
    private static final int STRETCHES_PER_FILE = 8;

    private final ConcurrentSkipListMap<Long, StoredLedger> ledgers = new ConcurrentSkipListMap<>();
    private final List<LedgerDeletionListener> deletionListeners = new CopyOnWriteArrayList<>();

    // set by initialize, as BookKeeper wants it
    private @Nullable RetainedJournal retained;
    private @Nullable EntryIndex index;
    private @Nullable StoredEntries entries;
    private @Nullable KeptLedgers kept;
    private @Nullable StorageMarks facts;
    private @Nullable CollectLedgers collect;
    private FoundRecords found = new FoundRecords();
    private List<Path> journals = List.of();
    private long foundBytes;
    /** Until then BookKeeper adds what its own replay finds, which has been counted. */
    private volatile boolean started;

    /** Hands over records of existing files that were read already. Before {@link #initialize}, if at all. */
    public void found(FoundRecords records) {
        found = records;
    }

    @Override
    public void initialize(
            ServerConfiguration conf,
            LedgerManager ledgerManager,
            LedgerDirsManager ledgerDirs,
            LedgerDirsManager indexDirs,
            StatsLogger stats,
            ByteBufAllocator buffers)
            throws IOException {
        long journalFileBytes = conf.getMaxJournalSizeMB() * (1L << 20);
        journals = Arrays.stream(conf.getJournalDirs())
                .map(folder -> BookieImpl.getCurrentDirectory(folder).toPath())
                .toList();
        retained = new RetainedJournal(journalFileBytes / STRETCHES_PER_FILE);
        Path marks = firstOf(ledgerDirs).toPath();
        kept = new KeptLedgers(marks);
        facts = new StorageMarks(marks);
        index = new EntryIndex(journals, found, this::met);
        entries = new StoredEntries(ledgers, index, buffers);
        recover();
        var trim = new JournalTrim(ledgers, retained, index, kept, journals, marks, journalFileBytes);
        collect = new CollectLedgers(
                this, trim, ledgerManager, conf, stats, conf.getLong(RETAINED_BYTES, DEFAULT_RETAINED_BYTES));
    }

    private static File firstOf(LedgerDirsManager folders) {
        return folders.getAllLedgerDirs().getFirst();
    }

    /** Reads and syncs the existing files: a killed process may have written without fsync, and whatever was read once must stay. */
    private void recover() throws IOException {
        for (Path file : kept().files()) {
            index().scanKept(file);
        }
        for (Path journal : journals) {
            List<Path> files = JournalFormat.files(journal);
            if (!files.isEmpty()) {
                RecordFile.force(files.getLast());
            }
        }
        index().scanJournals();
        for (long id : facts().limbo()) {
            ledgers.computeIfAbsent(id, none -> new StoredLedger(none, 0)).limbo(true);
        }
    }

    /** A record that was found in a file. */
    private boolean met(RecordFile file, long id, long entry, long lastConfirmed, long at, int length)
            throws IOException {
        StoredLedger ledger = ledgers.get(id);
        if (collect != null) {
            // while running, ledgers come and go by calls, and the journal is behind them
            return ledger != null;
        }
        foundBytes += length;
        if (ledger == null) {
            ledger = new StoredLedger(id, 0);
            ledgers.put(id, ledger);
        }
        if (entry >= 0) {
            ledger.added(entry, lastConfirmed);
        } else if (entry == JournalFormat.FENCE) {
            ledger.fence();
        } else if (entry == JournalFormat.MASTER_KEY) {
            setMasterKey(id, content(file, at, length));
        } else if (entry == JournalFormat.EXPLICIT_LAC) {
            setExplicitLac(id, Unpooled.wrappedBuffer(content(file, at, length)));
        }
        return true;
    }

    private static byte[] content(RecordFile file, long at, int length) throws IOException {
        int header = JournalFormat.LEAST_RECORD + Integer.BYTES;
        ByteBuffer content = ByteBuffer.allocate(Math.max(0, length - header));
        file.read(content, at + header);
        return content.array();
    }

    private EntryIndex index() {
        return Objects.requireNonNull(index, "not initialized");
    }

    private StoredEntries stored() {
        return Objects.requireNonNull(entries, "not initialized");
    }

    private KeptLedgers kept() {
        return Objects.requireNonNull(kept, "not initialized");
    }

    private StorageMarks facts() {
        return Objects.requireNonNull(facts, "not initialized");
    }

    private RetainedJournal retained() {
        return Objects.requireNonNull(retained, "not initialized");
    }

    /** Changes how much journal is kept for ledgers that are alive; see {@link #RETAINED_BYTES}. Any thread. */
    public void retain(long bytes) {
        collect().retain(bytes);
    }

    private CollectLedgers collect() {
        return Objects.requireNonNull(collect, "not initialized");
    }

    private StoredLedger ledger(long id) throws Bookie.NoLedgerException {
        StoredLedger ledger = ledgers.get(id);
        if (ledger == null) {
            throw new Bookie.NoLedgerException(id);
        }
        return ledger;
    }

    // ---- the bookie's life ----

    /** Bytes of the journal kept for ledgers that are alive. */
    public long retainedBytes() {
        return retained().bytes();
    }

    @Override
    public void setStateManager(StateManager manager) {
        // nothing here turns a bookie read-only: the disk's monitor does
    }

    @Override
    public void setCheckpointSource(CheckpointSource source) {
        retained().startedWith(source, foundBytes);
        retained().next();
    }

    @Override
    public void setCheckpointer(Checkpointer checkpointer) {
        // checkpoints are completed when ledgers are deleted, not when something was flushed
    }

    @Override
    public void start() {
        started = true;
        collect().start();
    }

    @Override
    public void shutdown() throws InterruptedException {
        collect().stop();
        stored().close();
        try {
            index().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The journal has fsynced all there is. */
    @Override
    public void flush() {}

    @Override
    public void checkpoint(Checkpoint checkpoint) {}

    // ---- ledgers ----

    @Override
    public boolean ledgerExists(long id) {
        return ledgers.containsKey(id);
    }

    @Override
    public void setMasterKey(long id, byte[] masterKey) throws IOException {
        try {
            ledgers.computeIfAbsent(
                            id, none -> new StoredLedger(none, retained().current()))
                    .masterKey(masterKey);
        } catch (BookieException e) {
            throw new IOException("ledger " + id + " has another master key", e);
        }
    }

    @Override
    public byte[] readMasterKey(long id) throws IOException {
        byte[] key = ledger(id).masterKey();
        if (key == null) {
            throw new Bookie.NoLedgerException(id);
        }
        return key;
    }

    @Override
    public boolean setFenced(long id) throws IOException {
        return ledger(id).fence();
    }

    @Override
    public boolean isFenced(long id) throws IOException, BookieException {
        StoredLedger ledger = ledger(id);
        return ledger.fenced() || isKnownNotTo(ledger);
    }

    /**
     * False: for what is not here.
     *
     * @throws BookieException.DataUnknownException it may have been lost
     */
    private static boolean isKnownNotTo(StoredLedger ledger) throws BookieException {
        if (ledger.limbo()) {
            throw BookieException.create(BookieException.Code.DataUnknownException);
        }
        return false;
    }

    private StoredLedger knownLedger(long id) throws IOException, BookieException {
        StoredLedger ledger = ledger(id);
        boolean ignored = isKnownNotTo(ledger);
        return ledger;
    }

    @Override
    public void deleteLedger(long id) throws IOException {
        StoredLedger ledger = ledgers.remove(id);
        if (ledger == null) {
            return;
        }
        stored().forget(id);
        index().forget(id);
        index().close(kept().file(id));
        kept().delete(id);
        facts().limbo(id, false);
        ledger.delete();
        deletionListeners.forEach(listener -> listener.ledgerDeleted(id));
    }

    @Override
    public void registerLedgerDeletionListener(LedgerDeletionListener listener) {
        deletionListeners.add(listener);
    }

    @Override
    public Iterable<Long> getActiveLedgersInRange(long first, long end) {
        return ledgers.subMap(first, true, end, false).keySet();
    }

    // ---- entries ----

    /** On their way into the journal. Any thread. */
    public void journaled(int bytes) {
        retained().added(bytes);
    }

    @Override
    public long addEntry(ByteBuf entry) throws IOException {
        int at = entry.readerIndex();
        long id = entry.getLong(at);
        long number = entry.getLong(at + Long.BYTES);
        if (started) {
            journaled(entry.readableBytes());
        }
        ledger(id).added(number, entry.getLong(at + JournalFormat.LAST_CONFIRMED_AT));
        return number;
    }

    @Override
    public ByteBuf getEntry(long id, long number) throws IOException, BookieException {
        try {
            if (number == BookieProtocol.LAST_ADD_CONFIRMED) {
                long last = knownLedger(id).lastEntry();
                return entries(id, last, last).getFirst();
            }
            return stored().read(id, number);
        } catch (Bookie.NoEntryException e) {
            boolean ignored = isKnownNotTo(ledger(id));
            throw e;
        }
    }

    /** Entries as they were added, in order. Any thread; the caller releases them. */
    public List<ByteBuf> entries(long id, long first, long last) throws IOException {
        return stored().read(id, first, last);
    }

    @Override
    public boolean entryExists(long id, long number) throws IOException, BookieException {
        StoredLedger ledger = ledger(id);
        return !index().locate(id, number, number).isEmpty() || isKnownNotTo(ledger);
    }

    @Override
    public PrimitiveIterator.OfLong getListOfEntriesOfLedger(long id) throws IOException {
        ledger(id);
        return index().entries(id);
    }

    @Override
    public long getLastAddConfirmed(long id) throws IOException, BookieException {
        return knownLedger(id).lastConfirmed();
    }

    @Override
    public boolean waitForLastAddConfirmedUpdate(
            long id, long previous, Watcher<LastAddConfirmedUpdateNotification> watcher) throws IOException {
        return ledger(id).watch(previous, watcher);
    }

    @Override
    public void cancelWaitForLastAddConfirmedUpdate(long id, Watcher<LastAddConfirmedUpdateNotification> watcher)
            throws IOException {
        ledger(id).unwatch(watcher);
    }

    @Override
    public void setExplicitLac(long id, ByteBuf lac) throws IOException {
        byte[] copy = new byte[lac.readableBytes()];
        lac.getBytes(lac.readerIndex(), copy);
        StoredLedger ledger = ledger(id);
        ledger.explicitLac(copy);
        if (copy.length >= 2 * Long.BYTES) {
            ledger.confirmed(ByteBuffer.wrap(copy).getLong(Long.BYTES));
        }
    }

    @Override
    public @Nullable ByteBuf getExplicitLac(long id) throws IOException, BookieException {
        byte[] lac = knownLedger(id).explicitLac();
        return lac == null ? null : Unpooled.wrappedBuffer(lac);
    }

    // ---- what BookKeeper's compaction and its check of a replaced disk use ----

    @Override
    public void updateEntriesLocations(Iterable<EntryLocation> locations) {
        throw new UnsupportedOperationException("entries do not move");
    }

    @Override
    public void flushEntriesLocationsIndex() {}

    /** Also of a ledger of which nothing is here any more. */
    @Override
    public void setLimboState(long id) throws IOException {
        facts().limbo(id, true);
        ledgers.computeIfAbsent(id, none -> new StoredLedger(none, retained().current()))
                .limbo(true);
    }

    @Override
    public boolean hasLimboState(long id) throws IOException {
        return ledger(id).limbo();
    }

    @Override
    public void clearLimboState(long id) throws IOException {
        ledger(id).limbo(false);
        facts().limbo(id, false);
    }

    @Override
    public EnumSet<StorageState> getStorageStateFlags() {
        return facts().states();
    }

    @Override
    public void setStorageStateFlag(StorageState flag) throws IOException {
        facts().state(flag, true);
    }

    @Override
    public void clearStorageStateFlag(StorageState flag) throws IOException {
        facts().state(flag, false);
    }
}
