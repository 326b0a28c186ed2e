package io.sluice.bookie.assembly;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.bookie.journal.DeferredSync;
import io.sluice.bookie.journal.JournalLedgerStorage;
import io.sluice.bookie.journal.JournalWalk;
import io.sluice.bookie.journal.OverwritingJournal;
import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.BookieResources;
import org.apache.bookkeeper.bookie.LedgerDirsManager;
import org.apache.bookkeeper.bookie.UncleanShutdownDetectionImpl;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.meta.LedgerManager;
import org.apache.bookkeeper.proto.BookieServer;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.bookkeeper.util.DiskChecker;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver;
import org.jspecify.annotations.Nullable;

/**
 * A running bookie on one folder: BookKeeper's own parts, less what one folder has no use for, with the journal as ledger storage. It uses the
 * metadata store that is passed in, which stays open.
 *
 * @param storage of the bookie
 */
public record BookieAssembly(
        PulsarMetadataBookieDriver driver, BookieServer server, JournalLedgerStorage storage, DeferredSync sync)
        implements AutoCloseable {
    /** The bookie itself takes writes until only this part of the least free space is left. */
    private static final double FOR_WHAT_FREES_SPACE = 4;

    private static final Duration REGISTRATION = Duration.ofSeconds(30);

    /** Begins to look through the journal in a bookie's folder, which may not be there yet; for {@link #start}. */
    public static JournalWalk walk(Path folder) throws IOException {
        return JournalWalk.beforeStart(
                BookieConfigurations.journalFiles(folder), BookieConfigurations.ledgerFiles(folder));
    }

    /** Makes the bookie's settings. */
    public interface Configuration {
        /** @param maxDiskUsage share of the disk that may be used */
        ServerConfiguration of(float maxDiskUsage);
    }

    /**
     * Starts the bookie.
     *
     * @param walk through its journal; closed by the caller
     * @param folder for journal and ledgers, created and formatted by the first start
     * @param minFreeBytes see {@link BookieSettings#minFreeBytes}
     * @param leastToStart free bytes with which it starts, if only to be read
     * @param advice to who finds the folder damaged
     * @throws DataFolderException what is wrong with the folder, in one line
     * @throws IOException anything else
     */
    public static BookieAssembly start(
            Path folder,
            JournalWalk walk,
            PulsarMetadata metadata,
            long minFreeBytes,
            long leastToStart,
            String advice,
            Configuration configuration)
            throws IOException {
        ServerConfiguration conf = configuration.of(maxDiskUsage(folder, minFreeBytes, leastToStart));
        PulsarMetadataBookieDriver driver = new PulsarMetadataBookieDriver();
        @Nullable BookieServer server = null;
        try {
            driver.initialize(conf, NullStatsLogger.INSTANCE);
            JournalLedgerStorage storage = new JournalLedgerStorage();
            server = server(folder, walk, conf, metadata, driver, storage, advice);
            Registrations.removeKilled(metadata, BookieImpl.getBookieId(conf).toString(), REGISTRATION);
            start(server);
            if (!server.isRunning()) {
                throw new IOException("the bookie in " + folder + " does not start; the log says why");
            }
            return new BookieAssembly(
                    driver, server, storage, DeferredSync.of(BookieConfigurations.journalFiles(folder)));
        } catch (Exception e) {
            if (server != null) {
                server.shutdown();
            }
            driver.close();
            throw e instanceof IOException asItIs
                    ? asItIs
                    : new IOException("the bookie in " + folder + " does not start: " + e.getMessage(), e);
        }
    }

    /** Does not wait for the end of BookKeeper's method, which sleeps for 250 ms when the bookie has long been running. */
    private static void start(BookieServer server) throws Exception {
        var started = new FutureTask<Void>(() -> {
            server.start();
            return null;
        });
        Thread.ofPlatform().name("bookie-start").daemon().start(started);
        while (!server.isRunning()) {
            try {
                started.get(1, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException stillAtIt) {
                // what it became is asked for again
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }
    }

    /** BookKeeper counts in shares of the disk; on a large disk its default would refuse writes with much space left. */
    private static float maxDiskUsage(Path folder, long minFreeBytes, long leastToStart) throws IOException {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new DataFolderException.NotWritable("cannot write to " + folder + ": give this user access to it", e);
        }
        if (!Files.isWritable(folder)) {
            throw new DataFolderException.NotWritable(
                    "cannot write to " + folder + ": give this user access to it", null);
        }
        FileStore disk = Files.getFileStore(folder);
        if (disk.getUsableSpace() < leastToStart) {
            throw new DataFolderException.Full("only " + (disk.getUsableSpace() >> 20) + " MiB are free at " + folder
                    + ": free at least " + (leastToStart >> 20) + " MiB");
        }
        double share = 1 - minFreeBytes / FOR_WHAT_FREES_SPACE / disk.getTotalSpace();
        return (float) Math.clamp(share, 0.01, 0.9999);
    }

    private static BookieServer server(
            Path folder,
            JournalWalk walk,
            ServerConfiguration conf,
            PulsarMetadata metadata,
            PulsarMetadataBookieDriver driver,
            JournalLedgerStorage storage,
            String advice)
            throws Exception {
        RegistrationManager registration = driver.createRegistrationManager();
        LedgersRoot.createIfMissing(metadata, registration);
        String id = BookieImpl.getBookieId(conf).toString();
        BookieIdentity.check(folder, metadata, registration.getClusterInstanceId(), id, advice);
        // Creates the folders, which the managers below want to find.
        Path ledgerFiles = BookieConfigurations.ledgerFiles(folder);
        BookieImpl.checkDirectoryStructure(
                BookieConfigurations.journalFiles(folder).toFile());
        BookieImpl.checkDirectoryStructure(ledgerFiles.toFile());
        createLastMark(ledgerFiles);
        try (LedgerManager ledgers = driver.getLedgerManagerFactory().newLedgerManager()) {
            storage.found(RepairJournalTail.in(walk, new LedgerEnds(ledgers), advice));
        }
        ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
        NullStatsLogger stats = NullStatsLogger.INSTANCE;
        DiskChecker disk = BookieResources.createDiskChecker(conf);
        LedgerDirsManager folders = BookieResources.createLedgerDirsManager(conf, disk, stats);
        storage.initialize(
                conf, driver.getLedgerManagerFactory().newLedgerManager(), folders, folders, stats, allocator);
        return new BookieServer(
                conf,
                new OnceStoppedBookie(
                        conf,
                        registration,
                        storage,
                        disk,
                        folders,
                        DeferredSync.begin(BookieConfigurations.journalFiles(folder)),
                        OverwritingJournal.buffers()),
                stats,
                allocator,
                new UncleanShutdownDetectionImpl(folders));
    }

    /** Where journal replay begins: at the beginning. Without the file the first start would log an error. */
    private static void createLastMark(Path ledgers) throws IOException {
        Path lastMark = ledgers.resolve("lastMark");
        if (!Files.exists(lastMark)) {
            Files.write(lastMark, new byte[2 * Long.BYTES]);
        }
    }

    @Override
    public void close() {
        server.shutdown();
        driver.close();
    }
}
