package io.sluice.bookie.cluster;

import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.store.cluster.MetadataSettings;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.bookkeeper.BookieTls;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.net.BookieId;
import org.apache.bookkeeper.proto.BookieServer;
import org.jspecify.annotations.Nullable;

/** A bookie over sockets in this process, of either kind, which can be started again on its folder and port. */
record RunningBookie(
        Kind kind, Path folder, int port, @Nullable BookieTls tls, BookieServer server, AutoCloseable running)
        implements AutoCloseable {
    private static final long MIN_FREE_BYTES = 64 << 20;

    enum Kind {
        STOCK,
        OURS,
        /** Ours, which also copies what lost bookies had, at once. */
        RECOVERING;

        boolean isOurs() {
            return this != STOCK;
        }
    }

    /** @param metadata url, which the bookie opens for itself */
    static RunningBookie start(Kind kind, Path folder, String metadata) throws Exception {
        return start(kind, folder, metadata, null);
    }

    /** @param tls null for none */
    static RunningBookie start(Kind kind, Path folder, String metadata, @Nullable BookieTls tls) throws Exception {
        return start(kind, folder, StockBookie.freePort(), tls, metadata, MIN_FREE_BYTES);
    }

    RunningBookie startAgain(String metadata) throws Exception {
        return start(kind, folder, port, tls, metadata, MIN_FREE_BYTES);
    }

    /** Ours, with more or less of the disk for others. */
    RunningBookie startAgain(String metadata, long minFreeBytes) throws Exception {
        return start(kind, folder, port, tls, metadata, minFreeBytes);
    }

    private static RunningBookie start(
            Kind kind, Path folder, int port, @Nullable BookieTls tls, String url, long minFreeBytes) throws Exception {
        PulsarMetadata metadata = PulsarMetadata.open(MetadataSettings.at(url));
        try {
            return kind == Kind.STOCK
                    ? stock(folder, port, tls, metadata)
                    : ours(kind, folder, port, tls, metadata, minFreeBytes);
        } catch (Exception e) {
            metadata.close();
            throw e;
        }
    }

    private static RunningBookie stock(Path folder, int port, @Nullable BookieTls tls, PulsarMetadata metadata)
            throws Exception {
        StockBookie stock = StockBookie.start(folder, port, metadata, tls);
        return new RunningBookie(Kind.STOCK, folder, port, tls, stock.server(), () -> {
            stock.close();
            metadata.close();
        });
    }

    private static RunningBookie ours(
            Kind kind, Path folder, int port, @Nullable BookieTls tls, PulsarMetadata metadata, long minFreeBytes)
            throws Exception {
        var sizes = new BookieSettings(
                "127.0.0.1:" + port, 4 << 20, 64 << 20, 32 << 20, minFreeBytes, Duration.ofMillis(200));
        var address = new ClusterBookieSettings.Address("127.0.0.1", port, "lo");
        ClusterBookie ours = ClusterBookie.start(
                new ClusterBookieSettings(folder, sizes, address, tls, kind == Kind.RECOVERING, Duration.ZERO),
                metadata);
        return new RunningBookie(kind, folder, port, tls, ours.assembly().server(), () -> {
            ours.close();
            metadata.close();
        });
    }

    BookieId id() {
        return BookieId.parse("127.0.0.1:" + port);
    }

    BookieImpl bookie() {
        return (BookieImpl) server.getBookie();
    }

    @Override
    public void close() throws Exception {
        running.close();
    }
}
