package io.sluice.bookie.embedded;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.bookie.journal.DeferredSync;
import io.sluice.bookie.journal.JournalLedgerStorage;
import io.sluice.bookie.journal.JournalWalk;
import io.sluice.bookie.journal.OverwritingJournal;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.bookkeeper.BookKeeperClients;
import io.sluice.store.wal.bookkeeper.LedgerClients;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.proto.BookieServer;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.bookkeeper.util.DiskChecker;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver;
import org.jspecify.annotations.Nullable;

/**
 * One bookie in this process, and a client bound to it. Both use the metadata store that is passed in, which stays open.
 *
 * <p>A kill at any time is repaired by the next start, which replays the journal.
 */
public final class EmbeddedBookie implements AutoCloseable {
    /** The bookie itself stops only when this part of the least free space is left: see {@link DiskRoom}. */
    private static final double FOR_WHAT_FREES_SPACE = 4;

    private static final Duration REGISTRATION = Duration.ofSeconds(30);

    private static final String INSTANCE_ID = "/ledgers/INSTANCEID";

    private final PulsarMetadataBookieDriver driver;
    private final BookieServer server;
    private final JournalLedgerStorage storage;
    private final BookKeeperClients clients;
    private final BookieLedgers ledgers;
    private final BookieProbe probe;
    private final CompletableFuture<Void> stoppedItself = new CompletableFuture<>();

    private EmbeddedBookie(
            PulsarMetadataBookieDriver driver,
            BookieServer server,
            JournalLedgerStorage storage,
            BookKeeperClients clients,
            DeferredSync sync,
            DiskRoom room) {
        this.driver = driver;
        this.server = server;
        this.storage = storage;
        this.clients = clients;
        this.probe = new BookieProbe(server, storage);
        this.ledgers = new BookieLedgers(
                server, clients.clients().others().getLedgerManager(), sync, room, () -> stoppedItself.complete(null));
    }

    /** As the other one, with a walk through the journal that is begun here. */
    public static EmbeddedBookie start(Path folder, PulsarMetadata metadata, EmbeddedBookieSettings settings)
            throws IOException {
        try (JournalWalk walk = walk(folder)) {
            return start(folder, walk, metadata, settings);
        }
    }

    /** Begins to look through the journal in a bookie's folder, which may not be there yet; for {@link #start}. */
    public static JournalWalk walk(Path folder) throws IOException {
        return JournalWalk.beforeStart(
                BookieConfigurations.journalFiles(folder), BookieConfigurations.ledgerFiles(folder));
    }

    /**
     * Starts the bookie; takes writes when this returns.
     *
     * @param walk through its journal; closed by the caller
     * @param folder for journal and ledgers, created and formatted by the first start
     * @throws DataFolderException what is wrong with the folder, in one line
     * @throws IOException anything else
     */
    public static EmbeddedBookie start(
            Path folder, JournalWalk walk, PulsarMetadata metadata, EmbeddedBookieSettings settings)
            throws IOException {
        float maxDiskUsage = maxDiskUsage(folder, settings.minFreeBytes());
        ServerConfiguration conf = BookieConfigurations.server(folder, metadata, settings, maxDiskUsage);
        PulsarMetadataBookieDriver driver = new PulsarMetadataBookieDriver();
        @Nullable BookieServer server = null;
        try {
            driver.initialize(conf, NullStatsLogger.INSTANCE);
            JournalLedgerStorage storage = new JournalLedgerStorage();
            server = server(folder, walk, conf, metadata, driver, storage);
            Registrations.removeKilled(metadata, conf.getBookieId(), REGISTRATION);
            start(server);
            if (!server.isRunning()) {
                throw new IOException("the bookie in " + folder + " does not start; the log says why");
            }
            return new EmbeddedBookie(
                    driver,
                    server,
                    storage,
                    clients(metadata, conf.getBookieId()),
                    DeferredSync.of(BookieConfigurations.journalFiles(folder)),
                    new DiskRoom(folder, settings.minFreeBytes()));
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

    private static BookKeeperClients clients(PulsarMetadata metadata, String bookie)
            throws IOException, InterruptedException {
        Registrations.await(metadata, bookie, REGISTRATION);
        BookKeeperClients clients = BookKeeperClients.local(metadata);
        try {
            clients.await(BookieId.parse(bookie), REGISTRATION);
            return clients;
        } catch (IOException | InterruptedException | RuntimeException e) {
            clients.close();
            throw e;
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
    private static float maxDiskUsage(Path folder, long minFreeBytes) throws IOException {
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
        if (disk.getUsableSpace() < minFreeBytes) {
            throw new DataFolderException.Full("only " + (disk.getUsableSpace() >> 20) + " MiB are free at " + folder
                    + ": free at least " + (minFreeBytes >> 20) + " MiB");
        }
        double share = 1 - minFreeBytes / FOR_WHAT_FREES_SPACE / disk.getTotalSpace();
        return (float) Math.clamp(share, 0.01, 0.9999);
    }

    /** BookKeeper's own assembly, less what one process on one folder has no use for. */
    private static BookieServer server(
            Path folder,
            JournalWalk walk,
            ServerConfiguration conf,
            PulsarMetadata metadata,
            PulsarMetadataBookieDriver driver,
            JournalLedgerStorage storage)
            throws Exception {
        RegistrationManager registration = driver.createRegistrationManager();
        if (metadata.get(INSTANCE_ID) == null) {
            // Safe to repeat: a first start that was killed half way is taken up by the next.
            registration.initNewCluster();
        }
        BookieIdentity.check(folder, metadata, registration.getClusterInstanceId(), conf.getBookieId());
        // Creates the folders, which the managers below want to find.
        Path ledgerFiles = BookieConfigurations.ledgerFiles(folder);
        BookieImpl.checkDirectoryStructure(
                BookieConfigurations.journalFiles(folder).toFile());
        BookieImpl.checkDirectoryStructure(ledgerFiles.toFile());
        createLastMark(ledgerFiles);
        try (LedgerManager ledgers = driver.getLedgerManagerFactory().newLedgerManager()) {
            storage.found(RepairJournalTail.in(walk, new LedgerEnds(ledgers)));
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

    /** Owned by this; closed with it. */
    public LedgerClients clients() {
        return clients.clients().with(ledgers, new BookieReads(storage));
    }

    /**
     * Writes a small record to the bookie; blocks until it is durable. For one thread at a time.
     *
     * @return null if the bookie is well, else what is wrong, in one line: it has stopped itself, or takes no writes
     */
    public @Nullable String probe() throws InterruptedException {
        return probe.run();
    }

    /** Changes {@link EmbeddedBookieSettings#retainedBytes}. Any thread. */
    public void retain(long bytes) {
        storage.retain(bytes);
    }

    /** Completes when the bookie has stopped because its disk failed: it takes nothing any more, and does not come back. */
    public CompletableFuture<Void> stoppedItself() {
        return stoppedItself;
    }

    @Override
    public void close() {
        ledgers.close();
        clients.close();
        server.shutdown();
        driver.close();
    }
}
