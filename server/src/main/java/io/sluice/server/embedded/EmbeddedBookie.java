package io.sluice.server.embedded;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.common.component.LifecycleComponentStack;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.proto.BookieServer;
import org.apache.bookkeeper.server.EmbeddedServer;
import org.apache.bookkeeper.server.conf.BookieConfiguration;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataClientDriver;

/**
 * One bookie in this process, and a client bound to it. Both use the metadata store that is passed in, which stays open.
 *
 * <p>A kill at any time is repaired by the next start, which replays the journal.
 */
public final class EmbeddedBookie implements AutoCloseable {
    private static final String INSTANCE_ID = "/ledgers/INSTANCEID";

    private final PulsarMetadataBookieDriver driver;
    private final LifecycleComponentStack components;
    private final BookieServer server;
    private final BookKeeper client;

    private EmbeddedBookie(
            PulsarMetadataBookieDriver driver,
            LifecycleComponentStack components,
            BookieServer server,
            BookKeeper client) {
        this.driver = driver;
        this.components = components;
        this.server = server;
        this.client = client;
    }

    /**
     * Starts the bookie; takes writes when this returns.
     *
     * @param folder for journal and ledgers, created and formatted by the first start
     * @throws DataFolderException what is wrong with the folder, in one line
     * @throws IOException anything else
     */
    public static EmbeddedBookie start(Path folder, PulsarMetadata metadata, EmbeddedBookieSettings settings)
            throws IOException {
        ServerConfiguration conf =
                BookieConfigurations.server(folder, metadata, settings, maxDiskUsage(folder, settings.minFreeBytes()));
        PulsarMetadataBookieDriver driver = new PulsarMetadataBookieDriver();
        try {
            driver.initialize(conf, NullStatsLogger.INSTANCE);
            formatIfNew(metadata, driver.createRegistrationManager());
            EmbeddedServer embedded = EmbeddedServer.builder(new BookieConfiguration(conf))
                    .metadataDriver(driver)
                    .allocator(PooledByteBufAllocator.DEFAULT)
                    .build();
            embedded.getLifecycleComponentStack().start();
            BookieServer server = embedded.getBookieService().getServer();
            if (!server.isRunning() || server.getBookie().isReadOnly()) {
                embedded.getLifecycleComponentStack().close();
                throw new IOException("the bookie in " + folder + " does not start; the log says why");
            }
            return new EmbeddedBookie(driver, embedded.getLifecycleComponentStack(), server, client(metadata));
        } catch (BookieException.InvalidCookieException e) {
            driver.close();
            throw new DataFolderException.Damaged(
                    folder + " does not belong to this store's metadata: restore both from the same copy", e);
        } catch (IOException e) {
            driver.close();
            throw e;
        } catch (Exception e) {
            driver.close();
            throw new IOException("the bookie in " + folder + " does not start: " + e.getMessage(), e);
        }
    }

    /** BookKeeper counts in shares of the disk; on a large disk its default would refuse writes with much space left. */
    private static float maxDiskUsage(Path folder, long minFreeBytes) throws IOException {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new DataFolderException.NotWritable("cannot write to " + folder + ": give this user access to it", e);
        }
        FileStore disk = Files.getFileStore(folder);
        if (disk.getUsableSpace() < minFreeBytes) {
            throw new DataFolderException.Full("only " + (disk.getUsableSpace() >> 20) + " MiB are free at " + folder
                    + ": free at least " + (minFreeBytes >> 20) + " MiB");
        }
        double share = 1 - (double) minFreeBytes / disk.getTotalSpace();
        return (float) Math.clamp(share, 0.01, 0.9999);
    }

    /** Safe to repeat: a first start that was killed half way is taken up by the next. */
    private static void formatIfNew(PulsarMetadata metadata, RegistrationManager registration) throws Exception {
        if (metadata.get(INSTANCE_ID) == null) {
            registration.initNewCluster();
        }
    }

    private static BookKeeper client(PulsarMetadata metadata) throws Exception {
        // Loading the class registers it for the URI's scheme.
        Class.forName(PulsarMetadataClientDriver.class.getName());
        return BookKeeper.forConfig(BookieConfigurations.client(metadata))
                .allocator(PooledByteBufAllocator.DEFAULT)
                .build();
    }

    /** Owned by this; closed with it. */
    public BookKeeper client() {
        return client;
    }

    /** False when the bookie has stopped itself, for example on a disk error, or takes no writes for want of space. */
    public boolean isWritable() {
        return server.isRunning() && !server.getBookie().isReadOnly();
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (Exception e) {
            Thread.currentThread().interrupt();
        }
        components.close();
        driver.close();
    }
}
