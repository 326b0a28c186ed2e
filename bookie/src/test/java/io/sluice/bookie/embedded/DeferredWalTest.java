package io.sluice.bookie.embedded;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.WalContract;
import io.sluice.store.wal.WalStore;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A log that does not wait for the disk, on one embedded bookie; every test is a cluster of its own. */
final class DeferredWalTest extends WalContract {
    @TempDir
    private static Path folder;

    private static Bookie bookie;

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final String clusterId = UUID.randomUUID().toString();

    @BeforeAll
    static void start() throws IOException {
        bookie = Bookie.start(folder);
    }

    @AfterAll
    static void stop() {
        bookie.close();
    }

    @Override
    protected WalStore connect() {
        return new BookKeeperWalStore(
                bookie.embedded().clients(), metadata, LedgerSettings.STANDALONE, clusterId, "node");
    }

    @Override
    protected Durability durability() {
        return new Durability(Durability.Copies.ONE, Durability.Sync.DEFER);
    }
}
