package io.sluice.server.embedded;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.WalContract;
import io.sluice.store.wal.WalStore;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.BookieResources;
import org.apache.bookkeeper.bookie.LedgerDirsManager;
import org.apache.bookkeeper.bookie.UncleanShutdownDetectionImpl;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.BookieServiceInfo;
import org.apache.bookkeeper.discover.BookieServiceInfoUtils;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.proto.BookieServer;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.bookkeeper.util.DiskChecker;
import org.apache.pulsar.metadata.bookkeeper.AbstractMetadataDriver;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The log on three bookies as they come, with their own storage and their own settings, over sockets. */
final class StockBookiesTest extends WalContract {
    private static final LedgerSettings THREE = new LedgerSettings(3, 3, 2, 4 << 20, Duration.ofSeconds(30));

    @TempDir
    private static Path folder;

    private static final List<StockBookie> bookies = new ArrayList<>();
    private static PulsarMetadata metadata;
    private static BookieClients clients;

    private final InMemoryMetadata chains = new InMemoryMetadata();
    private final String clusterId = UUID.randomUUID().toString();

    @BeforeAll
    static void start() throws Exception {
        metadata = PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), Duration.ofSeconds(10));
        for (int i = 0; i < THREE.ensemble(); i++) {
            bookies.add(StockBookie.start(folder.resolve("bookie-" + i), metadata));
        }
        clients = BookieClients.remote(metadata);
    }

    @AfterAll
    static void stop() {
        clients.close();
        bookies.forEach(StockBookie::close);
        metadata.close();
    }

    @Override
    protected WalStore connect() {
        return new BookKeeperWalStore(clients.clients(), chains, THREE, clusterId, "node");
    }

    /** BookKeeper's own assembly of its parts. */
    private record StockBookie(PulsarMetadataBookieDriver driver, BookieServer server) implements AutoCloseable {
        static StockBookie start(Path folder, PulsarMetadata metadata) throws Exception {
            ServerConfiguration conf = new ServerConfiguration();
            conf.setMetadataServiceUri("metadata-store:rocksdb");
            conf.setProperty(AbstractMetadataDriver.METADATA_STORE_INSTANCE, metadata.store());
            conf.setAdvertisedAddress("127.0.0.1");
            conf.setListeningInterface("lo");
            conf.setAllowLoopback(true);
            conf.setBookiePort(freePort());
            conf.setJournalDirName(folder.resolve("journal").toString());
            conf.setLedgerDirNames(new String[] {folder.resolve("ledgers").toString()});
            conf.setAllowMultipleDirsUnderSameDiskPartition(true);
            conf.setDiskUsageThreshold(0.999f);
            conf.setDiskUsageWarnThreshold(0.999f);
            conf.setDiskLowWaterMarkUsageThreshold(0.999f);
            PulsarMetadataBookieDriver driver = new PulsarMetadataBookieDriver();
            driver.initialize(conf, NullStatsLogger.INSTANCE);
            BookieServer server = server(conf, driver);
            server.start();
            return new StockBookie(driver, server);
        }

        private static BookieServer server(ServerConfiguration conf, PulsarMetadataBookieDriver driver)
                throws Exception {
            NullStatsLogger stats = NullStatsLogger.INSTANCE;
            PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
            RegistrationManager registration = driver.createRegistrationManager();
            initialize(registration);
            DiskChecker disk = BookieResources.createDiskChecker(conf);
            LedgerDirsManager ledgers = BookieResources.createLedgerDirsManager(conf, disk, stats);
            LedgerDirsManager indexes = BookieResources.createIndexDirsManager(conf, disk, stats, ledgers);
            BookieServiceInfo serviceInfo = BookieServiceInfoUtils.buildLegacyBookieServiceInfo(
                    BookieImpl.getBookieAddress(conf).toString());
            var bookie = new BookieImpl(
                    conf,
                    registration,
                    BookieResources.createLedgerStorage(
                            conf,
                            driver.getLedgerManagerFactory().newLedgerManager(),
                            ledgers,
                            indexes,
                            stats,
                            allocator),
                    disk,
                    ledgers,
                    indexes,
                    stats,
                    allocator,
                    () -> serviceInfo);
            return new BookieServer(conf, bookie, stats, allocator, new UncleanShutdownDetectionImpl(ledgers));
        }

        /** A bookie is known by its port, so it has to have one before it listens. */
        private static int freePort() throws IOException {
            try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            }
        }

        private static void initialize(RegistrationManager registration) throws Exception {
            if (metadata.get("/ledgers/INSTANCEID") == null) {
                registration.initNewCluster();
            }
        }

        @Override
        public void close() {
            server.shutdown();
            driver.close();
        }
    }
}
