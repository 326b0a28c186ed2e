package io.sluice.bookie.embedded;

import io.sluice.bookie.assembly.BookieConfigurations;
import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.bookie.assembly.LedgerEnds;
import io.sluice.bookie.journal.JournalCheck;
import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.bookkeeper.meta.LedgerManager;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver;
import org.jspecify.annotations.Nullable;

/** The ledgers of a bookie that does not run, read from its files, which stay as they are. For one thread. */
public final class StoredJournal implements AutoCloseable {
    private final PulsarMetadataBookieDriver driver = new PulsarMetadataBookieDriver();
    private final Arena arena = Arena.ofConfined();
    private final Map<Long, List<ByteBuffer>> frames = new HashMap<>();
    private final JournalCheck.Ledgers ends;
    private final JournalCheck.Result result;

    private StoredJournal(Path folder, PulsarMetadata metadata) throws IOException {
        try {
            driver.initialize(
                    BookieConfigurations.inProcess(folder, metadata, BookieSettings.DEFAULT, 1),
                    NullStatsLogger.INSTANCE);
            LedgerManager ledgers = driver.getLedgerManagerFactory().newLedgerManager();
            ends = new LedgerEnds(ledgers);
            result = JournalCheck.ofEverything(
                    BookieConfigurations.journalFiles(folder),
                    BookieConfigurations.ledgerFiles(folder),
                    ends,
                    arena,
                    this::met);
        } catch (Exception e) {
            close();
            throw e instanceof IOException asItIs ? asItIs : new IOException(e.getMessage(), e);
        }
    }

    /**
     * @param folder the bookie's
     * @param metadata is not written to
     */
    public static StoredJournal read(Path folder, PulsarMetadata metadata) throws IOException {
        return new StoredJournal(folder, metadata);
    }

    private void met(long ledger, long entry, ByteBuffer frame) {
        List<ByteBuffer> of = frames.computeIfAbsent(ledger, none -> new ArrayList<>());
        if (entry == of.size()) {
            of.add(frame);
        }
    }

    public JournalCheck.Result result() {
        return result;
    }

    /** Number of entries that are there and whole. */
    public long entries() {
        return frames.values().stream().mapToLong(List::size).sum();
    }

    /**
     * Frames of the ledger that were acknowledged or came right behind those, from its first on; valid until this is closed.
     *
     * @return null if the metadata has no such ledger
     */
    public @Nullable List<ByteBuffer> frames(long ledger) throws IOException {
        Long end = ends.end(ledger);
        if (end == null) {
            return null;
        }
        List<ByteBuffer> found = frames.getOrDefault(ledger, List.of());
        return end < found.size() ? found.subList(0, (int) (end + 1)) : found;
    }

    /** First entry the ledger lacks though it was ended behind it; -1 if it has all. */
    public long lacks(long ledger) throws IOException {
        Long end = ends.end(ledger);
        long there = frames.getOrDefault(ledger, List.of()).size();
        return end != null && end != JournalCheck.Ledgers.OPEN && end >= there ? there : -1;
    }

    @Override
    public void close() {
        arena.close();
        driver.close();
    }
}
