package io.sluice.server.wiring;

import io.sluice.bookie.cluster.ClusterBookie;
import io.sluice.bookie.cluster.ClusterBookieSettings;
import io.sluice.broker.cluster.Cluster;
import io.sluice.server.cluster.ImportMark;
import io.sluice.server.cluster.RefusedException;
import io.sluice.server.config.Bookies;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.containers.LogAttempts;
import io.sluice.server.containers.ServedContainers;
import io.sluice.server.health.Part;
import io.sluice.server.membership.Membership;
import io.sluice.server.membership.MetadataSession;
import io.sluice.server.membership.NodeFacts;
import io.sluice.server.membership.TierAnswers;
import io.sluice.server.version.Version;
import io.sluice.store.cluster.Leases;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.membership.NodeLease;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.WalStore;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.OwnerMark;
import io.sluice.tiering.objectstore.StoreTraffic;
import io.sluice.tiering.objectstore.WatchedObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything elsewhere: a metadata store that several processes can open, bookies of their own, a tier in S3. */
final class ClusterFoundation implements Foundation {
    private static final Logger log = LoggerFactory.getLogger(ClusterFoundation.class);

    private static final Duration DRAIN = Duration.ofSeconds(10);

    /** Time for a {@link #preview}; a node starts without it, too. */
    private static final Duration PREVIEW = Duration.ofSeconds(5);

    private static final int PREVIEWED = 16;
    /** A request to long-term storage that takes longer is in doubt. A large upload may, and costs a trial each second then. */
    private static final Duration TIER_PATIENCE = Duration.ofSeconds(3);
    /** So that a node without traffic notices, too, for some thousand requests a day. */
    private static final Duration TIER_SILENCE = Duration.ofSeconds(30);

    private final Closing closing = new Closing();
    private final CompletableFuture<String> broken = new CompletableFuture<>();
    private final ServerConfig config;
    private final NodeIdentity node;
    private final WatchedObjectStore objects;
    private final PulsarMetadata metadata;
    private final StoreLayout layout;
    private final BookKeeperWalStore logs;
    private final Membership membership;
    private final Thread preview;

    /** @param ownBookie runs in this process, and is there before the node looks for bookies; null for none */
    ClusterFoundation(
            ServerConfig config, MemoryBudget memory, StoreTraffic traffic, @Nullable ClusterBookieSettings ownBookie)
            throws IOException, ObjectStoreException, InterruptedException, StartException {
        this.config = config;
        int number = Objects.requireNonNull(config.cluster().nodeId(), "checked before");
        node = NodeFacts.identity(number, UUID.randomUUID());
        try {
            objects = closing.add(new WatchedObjectStore(
                    TierStore.open(config.tier(), Path.of(""), traffic),
                    TIER_PATIENCE,
                    TIER_SILENCE,
                    System::nanoTime));
            metadata = closing.add(SharedMetadata.open(config.metadata().settings()));
            refuseHalfImported();
            if (ownBookie == null) {
                new EnoughBookies(metadata, config).check();
            } else {
                ClusterBookie bookie = closing.add(ClusterBookie.start(ownBookie, metadata));
                bookie.stoppedItself()
                        .thenRun(() -> broken.complete(
                                "the bookie in this process has stopped, because its disk failed; the log says how"));
                new EnoughBookies(metadata, config).await(bookie.stoppedItself());
            }
            layout = StoreLayout.readOrInitialise(metadata, config.store().containersOfNewStore(), UUID::randomUUID);
            Foundation.checkMemory(memory, layout);
            OwnerMark.claim(objects, layout.clusterId());
            logs = SharedLogs.open(config.bookkeeper(), metadata, layout, node.nodeId(), closing);
            membership = closing.add(join());
            membership.broken().thenAccept(broken::complete);
            preview = Thread.ofVirtual().name("preview").start(this::preview);
        } catch (Throwable e) {
            closing.close();
            throw e;
        }
    }

    /** Looks at the logs that may come here, before this node says that they may. */
    private void preview() {
        try {
            for (int container : layout.containers().stream().limit(PREVIEWED).toList()) {
                logs.preview(container);
            }
        } catch (IOException | WalException | RuntimeException e) {
            log.info("The logs of the store cannot be read by this node now: {}", e.getMessage());
        }
    }

    private void refuseHalfImported() throws IOException, StartException {
        try {
            ImportMark.refuse(metadata);
        } catch (RefusedException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        }
    }

    private Membership join() throws IOException, InterruptedException, StartException {
        try {
            return Membership.join(
                    metadata,
                    layout.clusterId().toString(),
                    node,
                    config.cluster().rack(),
                    Version.number(),
                    new Session());
        } catch (NodeLease.NodeRuns e) {
            throw new StartException("cluster.nodeId: a process with the number "
                    + config.cluster().nodeId() + " runs already (incarnation "
                    + e.record().incarnation() + "): give each server a number of its own");
        }
    }

    private final class Session implements MetadataSession {
        @Override
        public boolean isThere() {
            return metadata.hasSession();
        }

        @Override
        public boolean isStoreThere() {
            try (PulsarMetadata another = PulsarMetadata.open(config.metadata().settings())) {
                return StoreLayout.read(another) != null;
            } catch (IOException | RuntimeException e) {
                return false;
            }
        }
    }

    @Override
    public NodeIdentity node() {
        return node;
    }

    @Override
    public Cluster cluster() {
        return membership;
    }

    @Override
    public Leases leases() {
        return membership.leases();
    }

    @Override
    public Duration lease() {
        return Membership.LEASE;
    }

    @Override
    public Set<Integer> assigned() {
        return Set.of();
    }

    @Override
    public void serve(ServedContainers containers) throws InterruptedException {
        membership.serve(containers, logs, new TierAnswers() {
            @Override
            public boolean isInDoubt() {
                return objects.isInDoubt();
            }

            @Override
            public boolean answers() {
                return objects.answers();
            }
        });
    }

    @Override
    public LogAttempts logAttempts() {
        return membership.logAttempts();
    }

    @Override
    public void started() {
        try {
            if (!preview.join(PREVIEW)) {
                log.info("The logs of the store have not been read within {}", PREVIEW);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        membership.up();
    }

    @Override
    public void drain() throws InterruptedException {
        if (!membership.drain(DRAIN)) {
            log.info("This node stops with containers that no other node has taken over");
        }
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public String clusterName() {
        return "sluice";
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
        return config.metadata().url();
    }

    @Override
    public Copies copies() {
        Bookies bookies = config.bookkeeper();
        return new Copies(bookies.ensemble(), bookies.writeQuorum(), bookies.ackQuorum());
    }

    /** The bookies are asked through the containers, whose health is that of their logs. */
    @Override
    public List<Part> parts() {
        return List.of();
    }

    @Override
    public CompletableFuture<String> broken() {
        return broken;
    }

    /** Bookies keep logs of any size. */
    @Override
    public void resize(int containers) {}

    @Override
    public String adviceOnDamage() {
        return "the log of the server says what is missing or wrong";
    }

    @Override
    public void close() {
        closing.close();
    }
}
