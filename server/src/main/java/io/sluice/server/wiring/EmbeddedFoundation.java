package io.sluice.server.wiring;

import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.bookie.embedded.EmbeddedBookie;
import io.sluice.bookie.journal.JournalWalk;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.server.cluster.ImportedFolder;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.health.Part;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Leases;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.wal.WalStore;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.OwnerMark;
import io.sluice.tiering.objectstore.StoreTraffic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Everything in one folder and this process: metadata in RocksDB, one bookie. The tier may be elsewhere. */
public final class EmbeddedFoundation implements Foundation {
    public static final String NODE = "standalone";
    public static final Duration METADATA_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final int NUMBER = 1;

    private final Closing closing = new Closing();
    private final NodeIdentity node = new NodeIdentity(NODE, UUID.randomUUID());
    private final CompletableFuture<String> broken = new CompletableFuture<>();
    private final Path data;
    private final ServerConfig.Store store;
    private final ObjectStore objects;
    private final String metadataUrl;
    private final PulsarMetadata metadata;
    private final StoreLayout layout;
    private final EmbeddedBookie bookie;
    private final WalStore logs;
    private final Cluster cluster;

    EmbeddedFoundation(ServerConfig config, Path data, MemoryBudget memory, StoreTraffic traffic)
            throws IOException, ObjectStoreException, StartException {
        this.data = data;
        store = config.store();
        Path logFolder = data.resolve("bookie");
        refuseImported(data);
        try {
            // The disk has the log to read while the processors have the rest to start.
            try (JournalWalk walk = EmbeddedBookie.walk(logFolder)) {
                // First: a tier that cannot be used stops the start before anything is written.
                objects = closing.add(TierStore.open(config.tier(), data, traffic));
                PulsarMetadata.unpackRocksDb(data.resolve("native"));
                metadataUrl = "rocksdb:" + data.resolve("metadata");
                metadata = closing.add(PulsarMetadata.open(metadataUrl, METADATA_TIMEOUT));
                layout = StoreLayout.readOrInitialise(metadata, store.containersOfNewStore(), UUID::randomUUID);
                Foundation.checkMemory(memory, layout);
                OwnerMark.claim(objects, layout.clusterId());
                bookie = closing.add(EmbeddedBookie.start(
                        logFolder, walk, metadata, bookie(layout.containers().size(), store, memory)));
            }
            bookie.stoppedItself()
                    .thenRun(
                            () -> broken.complete(
                                    "the disk of " + data
                                            + " failed, and nothing can be made durable; the log says how. What was acknowledged is kept"));
            logs = closing.add(new BookKeeperWalStore(
                    bookie.clients(),
                    metadata,
                    LedgerSettings.STANDALONE,
                    layout.clusterId().toString(),
                    NODE));
            cluster = new SingleNode(layout.clusterId().toString(), NUMBER);
        } catch (Throwable e) {
            closing.close();
            throw e;
        }
    }

    /** @throws StartException the folder's journal is that of a cluster's bookie by now */
    public static void refuseImported(Path data) throws IOException, StartException {
        ImportedFolder imported = ImportedFolder.read(data);
        if (imported != null) {
            throw new StartException(imported.refusal(data));
        }
    }

    /** @param containers whose logs the journal holds */
    public static BookieSettings bookie(int containers, ServerConfig.Store store, MemoryBudget memory) {
        BookieSettings base = BookieSettings.DEFAULT;
        return new BookieSettings(
                NODE,
                base.journalFileBytes(),
                journalRoom(containers, store),
                memory.bookieBytes(),
                base.minFreeBytes(),
                base.collectInterval());
    }

    private static long journalRoom(int containers, ServerConfig.Store store) {
        return Math.max(BookieSettings.DEFAULT.journalFileBytes(), containers * store.walLimitBytes());
    }

    @Override
    public NodeIdentity node() {
        return node;
    }

    @Override
    public Cluster cluster() {
        return cluster;
    }

    @Override
    public Leases leases() {
        return Leases.timed(metadata, node, LEASE, LeaseClock.SYSTEM);
    }

    @Override
    public Duration lease() {
        return LEASE;
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public String clusterName() {
        return NODE;
    }

    @Override
    public PulsarMetadata metadata() {
        return metadata;
    }

    @Override
    public StoreLayout layout() {
        return layout;
    }

    @Override
    public ObjectStore objects() {
        return objects;
    }

    @Override
    public WalStore logs() {
        return logs;
    }

    @Override
    public String metadataUrl() {
        return metadataUrl;
    }

    @Override
    public Copies copies() {
        LedgerSettings alone = LedgerSettings.STANDALONE;
        return new Copies(alone.ensemble(), alone.writeQuorum(), alone.ackQuorum());
    }

    @Override
    public List<Part> parts() {
        return List.of(Part.blocking("the bookie", bookie::probe));
    }

    @Override
    public CompletableFuture<String> broken() {
        return broken;
    }

    @Override
    public void resize(int containers) {
        bookie.retain(journalRoom(containers, store));
    }

    @Override
    public String adviceOnDamage() {
        return "run sluice verify-data --data " + data + " for all that is wrong, and restore the folder from a copy";
    }

    @Override
    public void close() {
        closing.close();
    }
}
