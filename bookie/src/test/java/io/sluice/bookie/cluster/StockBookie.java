package io.sluice.bookie.cluster;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.bookkeeper.BookieTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.BookieResources;
import org.apache.bookkeeper.bookie.LedgerDirsManager;
import org.apache.bookkeeper.bookie.UncleanShutdownDetectionImpl;
import org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.BookieServiceInfo;
import org.apache.bookkeeper.discover.BookieServiceInfoUtils;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.proto.BookieServer;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.bookkeeper.util.DiskChecker;
import org.apache.pulsar.metadata.bookkeeper.AbstractMetadataDriver;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver;
import org.jspecify.annotations.Nullable;

/**
 * A bookie as it comes, over sockets: BookKeeper's own assembly of its parts, its own storage and its own settings, but for where it
 * is, how full its disk may be, and caches that are small.
 */
public record StockBookie(Path folder, int port, PulsarMetadataBookieDriver driver, BookieServer server)
        implements AutoCloseable {
    /** On a port that is free. */
    public static StockBookie start(Path folder, PulsarMetadata metadata) throws Exception {
        return start(folder, freePort(), metadata, null);
    }

    /** @param tls null for none; with it, connections without are taken, too */
    static StockBookie start(Path folder, int port, PulsarMetadata metadata, @Nullable BookieTls tls) throws Exception {
        ServerConfiguration conf = new ServerConfiguration();
        conf.setMetadataServiceUri("metadata-store:rocksdb");
        conf.setProperty(AbstractMetadataDriver.METADATA_STORE_INSTANCE, metadata.store());
        conf.setAdvertisedAddress("127.0.0.1");
        conf.setListeningInterface("lo");
        conf.setAllowLoopback(true);
        conf.setBookiePort(port);
        conf.setJournalDirName(folder.resolve("journal").toString());
        conf.setLedgerDirNames(new String[] {folder.resolve("ledgers").toString()});
        conf.setAllowMultipleDirsUnderSameDiskPartition(true);
        conf.setLedgerStorageClass(DbLedgerStorage.class.getName());
        conf.setProperty(DbLedgerStorage.WRITE_CACHE_MAX_SIZE_MB, 16);
        conf.setProperty(DbLedgerStorage.READ_AHEAD_CACHE_MAX_SIZE_MB, 16);
        conf.setGcWaitTime(200);
        conf.setDiskUsageThreshold(0.999f);
        conf.setDiskUsageWarnThreshold(0.999f);
        conf.setDiskLowWaterMarkUsageThreshold(0.999f);
        if (tls != null) {
            tls.applyTo(conf);
        }
        PulsarMetadataBookieDriver driver = new PulsarMetadataBookieDriver();
        driver.initialize(conf, NullStatsLogger.INSTANCE);
        BookieServer server = server(conf, metadata, driver);
        server.start();
        return new StockBookie(folder, port, driver, server);
    }

    private static BookieServer server(
            ServerConfiguration conf, PulsarMetadata metadata, PulsarMetadataBookieDriver driver) throws Exception {
        NullStatsLogger stats = NullStatsLogger.INSTANCE;
        PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
        RegistrationManager registration = driver.createRegistrationManager();
        if (metadata.get("/ledgers/INSTANCEID") == null) {
            registration.initNewCluster();
        }
        DiskChecker disk = BookieResources.createDiskChecker(conf);
        LedgerDirsManager ledgers = BookieResources.createLedgerDirsManager(conf, disk, stats);
        LedgerDirsManager indexes = BookieResources.createIndexDirsManager(conf, disk, stats, ledgers);
        BookieServiceInfo serviceInfo = BookieServiceInfoUtils.buildLegacyBookieServiceInfo(
                BookieImpl.getBookieAddress(conf).toString());
        var bookie = new BookieImpl(
                conf,
                registration,
                BookieResources.createLedgerStorage(
                        conf, driver.getLedgerManagerFactory().newLedgerManager(), ledgers, indexes, stats, allocator),
                disk,
                ledgers,
                indexes,
                stats,
                allocator,
                () -> serviceInfo);
        return new BookieServer(conf, bookie, stats, allocator, new UncleanShutdownDetectionImpl(ledgers));
    }

    /** A bookie is known by its port, so it has to have one before it listens. */
    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        server.shutdown();
        driver.close();
    }
}
