package io.sluice.server.embedded;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.server.journal.OverwritingJournal;
import io.sluice.store.cluster.PulsarMetadata;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.BookieResources;
import org.apache.bookkeeper.bookie.LedgerDirsManager;
import org.apache.bookkeeper.bookie.UncleanShutdownDetectionImpl;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.proto.BookieServer;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.bookkeeper.util.DiskChecker;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver;

/** A bookie that several processes reach, over TCP on the loopback; as in a cluster, but that there is one. */
public final class ExternalBookie implements AutoCloseable {
    private static final EmbeddedBookieSettings SETTINGS =
            new EmbeddedBookieSettings("external", 16 << 20, 256 << 20, 32 << 20, 64 << 20, Duration.ofSeconds(1));

    private final PulsarMetadataBookieDriver driver = new PulsarMetadataBookieDriver();
    private final BookieServer server;

    /** @param port free */
    public ExternalBookie(Path folder, PulsarMetadata metadata, int port) throws Exception {
        ServerConfiguration conf = BookieConfigurations.server(folder, metadata, SETTINGS, 0.9999f);
        conf.setDisableServerSocketBind(false);
        conf.setEnableLocalTransport(false);
        conf.setBookiePort(port);
        driver.initialize(conf, NullStatsLogger.INSTANCE);
        RegistrationManager registration = driver.createRegistrationManager();
        registration.initNewCluster();
        BookieImpl.checkDirectoryStructure(BookieImpl.getCurrentDirectory(conf.getJournalDirs()[0]));
        BookieImpl.checkDirectoryStructure(BookieImpl.getCurrentDirectory(conf.getLedgerDirs()[0]));
        PooledByteBufAllocator buffers = PooledByteBufAllocator.DEFAULT;
        NullStatsLogger stats = NullStatsLogger.INSTANCE;
        DiskChecker disk = BookieResources.createDiskChecker(conf);
        LedgerDirsManager folders = BookieResources.createLedgerDirsManager(conf, disk, stats);
        var storage = BookieResources.createLedgerStorage(
                conf, driver.getLedgerManagerFactory().newLedgerManager(), folders, folders, stats, buffers);
        var bookie = new OnceStoppedBookie(conf, registration, storage, disk, folders, OverwritingJournal.buffers());
        server = new BookieServer(conf, bookie, stats, buffers, new UncleanShutdownDetectionImpl(folders));
        server.start();
    }

    @Override
    public void close() {
        server.shutdown();
        driver.close();
    }
}
