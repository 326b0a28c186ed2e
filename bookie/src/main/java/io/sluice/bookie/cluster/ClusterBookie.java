package io.sluice.bookie.cluster;

import io.sluice.bookie.assembly.BookieAssembly;
import io.sluice.bookie.assembly.BookieConfigurations;
import io.sluice.bookie.assembly.DataFolderException;
import io.sluice.bookie.journal.JournalWalk;
import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * A bookie that nodes, other bookies and their autorecovery reach over sockets. It registers in the metadata store that is passed in,
 * which stays open.
 *
 * <p>A kill at any time is repaired by the next start. Of a damaged or lost disk nothing is mended here: the bookie does not start on it, so
 * that it never answers "no such entry" for what it once acknowledged, and the others copy what it had.
 */
public final class ClusterBookie implements AutoCloseable {
    private static final String ADVICE =
            "start a bookie with another id on an empty folder, the others copy to it what this one had";
    private static final long LOOK_SECONDS = 1;
    private static final long STOP_SECONDS = 10;

    private final BookieAssembly bookie;
    private final ServerConfiguration conf;
    private final @Nullable KeepRecovering recovery;
    private final CompletableFuture<Void> stoppedItself = new CompletableFuture<>();
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("bookie-watch").daemon().factory());

    private ClusterBookie(BookieAssembly bookie, ServerConfiguration conf, @Nullable KeepRecovering recovery) {
        this.bookie = bookie;
        this.conf = conf;
        this.recovery = recovery;
        watch.scheduleWithFixedDelay(this::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Starts the bookie; it takes writes when this returns.
     *
     * @throws DataFolderException what is wrong with the folder, in one line
     * @throws IOException anything else
     */
    public static ClusterBookie start(ClusterBookieSettings settings, PulsarMetadata metadata) throws IOException {
        try (JournalWalk walk = BookieAssembly.walk(settings.folder())) {
            BookieAssembly bookie = BookieAssembly.start(
                    settings.folder(),
                    walk,
                    metadata,
                    settings.bookie().minFreeBytes(),
                    settings.leastToStart(),
                    ADVICE,
                    maxDiskUsage -> configuration(settings, metadata, maxDiskUsage));
            try {
                return new ClusterBookie(
                        bookie,
                        configuration(settings, metadata, 1),
                        settings.autoRecovery() ? new KeepRecovering(configuration(settings, metadata, 1)) : null);
            } catch (IOException | RuntimeException e) {
                bookie.close();
                throw e;
            }
        }
    }

    private static ServerConfiguration configuration(
            ClusterBookieSettings settings, PulsarMetadata metadata, float maxDiskUsage) {
        ServerConfiguration conf =
                BookieConfigurations.overSockets(settings.folder(), metadata, settings.bookie(), maxDiskUsage);
        ClusterBookieSettings.Address address = settings.address();
        conf.setAdvertisedAddress(address.host());
        conf.setBookiePort(address.port());
        if (!address.listenInterface().isEmpty()) {
            conf.setListeningInterface(address.listenInterface());
        }
        if (settings.tls() != null) {
            settings.tls().applyTo(conf);
            conf.setBookieAuthProviderFactoryClass(CertificateWanted.class.getName());
        }
        conf.setLostBookieRecoveryDelay((int) settings.lostAfter().toSeconds());
        return conf;
    }

    private void look() {
        if (!bookie.server().isRunning()) {
            stoppedItself.complete(null);
        }
        if (recovery != null) {
            recovery.look();
        }
    }

    /** Whether it takes no writes, because its disk is full; reads go on, and it comes back when there is room. */
    public boolean isReadOnly() {
        return bookie.server().getBookie().isReadOnly();
    }

    /** Bytes of the journal kept for ledgers that are alive. */
    public long retainedBytes() {
        return bookie.storage().retainedBytes();
    }

    /** Number of ledgers that it has entries of. */
    public long ledgers() {
        long count = 0;
        for (Long ignored : bookie.storage().getActiveLedgersInRange(0, Long.MAX_VALUE)) {
            count++;
        }
        return count;
    }

    /** BookKeeper's HTTP admin of this bookie; to be closed before it. */
    public BookieAdmin admin() throws IOException {
        return new BookieAdmin(bookie, conf);
    }

    /** Completes when the bookie has stopped because its disk failed: it answers nothing any more, and does not come back. */
    public CompletableFuture<Void> stoppedItself() {
        return stoppedItself;
    }

    /** For tests of what clients never ask. */
    BookieAssembly assembly() {
        return bookie;
    }

    @Override
    public void close() {
        watch.shutdown();
        try {
            boolean ignored = watch.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (recovery != null) {
            recovery.close();
        }
        bookie.close();
    }
}
