package io.sluice.server.containers;

import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.bookie.embedded.EmbeddedBookie;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.wal.bookkeeper.BookKeeperClients;
import io.sluice.store.wal.bookkeeper.BookKeeperSettings;
import io.sluice.store.wal.bookkeeper.LedgerClients;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

/** What several nodes share: metadata, a bookie, and the folder of the tier. */
record SharedStore(PulsarMetadata metadata, LedgerClients bookies, Path tier, AutoCloseable rest)
        implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final BookieSettings BOOKIE =
            new BookieSettings("shared", 16 << 20, 256 << 20, 64 << 20, 64 << 20, Duration.ofSeconds(1));

    /** All of it in this process. */
    static SharedStore start(Path folder) throws IOException {
        PulsarMetadata metadata = PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), TIMEOUT);
        EmbeddedBookie bookie = EmbeddedBookie.start(folder.resolve("bookie"), metadata, BOOKIE);
        return new SharedStore(metadata, bookie.clients(), folder.resolve("tier"), bookie);
    }

    /** As one of several processes. */
    static SharedStore connect(String metadataUrl, Path tier) throws Exception {
        PulsarMetadata metadata = PulsarMetadata.open(metadataUrl, TIMEOUT);
        BookKeeperClients bookies =
                BookKeeperClients.remote(metadata, BookKeeperSettings.DEFAULT.with(LedgerSettings.STANDALONE));
        return new SharedStore(metadata, bookies.clients(), tier, bookies);
    }

    /** One container, so that all fight over the same. */
    StoreLayout layout() throws IOException {
        return StoreLayout.readOrInitialise(metadata, 1, UUID::randomUUID);
    }

    @Override
    public void close() throws Exception {
        rest.close();
        metadata.close();
    }
}
