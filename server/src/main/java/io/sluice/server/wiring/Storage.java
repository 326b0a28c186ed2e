package io.sluice.server.wiring;

import io.sluice.bookie.assembly.DataFolderException;
import io.sluice.broker.Broker;
import io.sluice.broker.OwnersInCluster;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.compaction.CompactionPolicy;
import io.sluice.broker.compaction.CompactionResources;
import io.sluice.broker.compaction.CompactionScheduler;
import io.sluice.broker.compaction.GatherPartitions;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.retention.EnforceRetention;
import io.sluice.broker.retention.Retention;
import io.sluice.broker.topic.ChangeOwners;
import io.sluice.broker.topic.SegmentIds;
import io.sluice.broker.topic.StoredTopicCatalogue;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.kafka.format.KeyedBatches;
import io.sluice.pulsar.format.KeyedMessages;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.containers.ContainerCount;
import io.sluice.server.containers.ContainerSetup;
import io.sluice.server.containers.ContainersOnDemand;
import io.sluice.server.containers.ServedContainers;
import io.sluice.server.health.Health;
import io.sluice.server.health.MetadataPart;
import io.sluice.server.health.Part;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.cluster.IdAllocator;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.container.AcknowledgedEnds;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.ContainerParts;
import io.sluice.store.container.MappedEnds;
import io.sluice.store.container.VirtualThreads;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.WalStore;
import io.sluice.tiering.ObjectTierFactory;
import io.sluice.tiering.TieringConfig;
import io.sluice.tiering.collect.DeleteContainer;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoreTraffic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything below the protocols: a foundation, the containers, the broker.
 * Wiring only, from the bottom up; closed from the top down.
 */
public final class Storage implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Storage.class);

    private static final Duration RECOVERY = Duration.ofMinutes(10);
    /** Between looks at changes of topics that were begun and not finished. */
    private static final Duration FINISH_PAUSE = Duration.ofSeconds(2);

    private static final int ID_BLOCK = 1_000;

    private final Closing closing = new Closing();
    private final StoreTraffic tierTraffic = new StoreTraffic();
    private final Foundation foundation;
    private final ServedContainers containers;
    private final ContainerCount containerCount;
    private final Broker broker;
    private final IdAllocator producerIds;
    private final Cluster cluster;
    private final PeerSide peers;
    private final PartitionSteps partitionSteps = new PartitionSteps();
    private final CompletableFuture<String> broken = new CompletableFuture<>();
    private final Health health;
    private final LostBytes lostBytes;
    private final Retention retentionOfServer;
    private volatile @Nullable Function<TopicName, Optional<Retention>> retentionOfNamespaces;
    private final CompactionResources compaction;

    private Storage(ServerConfig config, Path data, MemoryBudget memory, Foundation.Opener opener)
            throws IOException, ObjectStoreException, InterruptedException, StartException {
        try {
            retentionOfServer = new Retention(
                    config.topics().retentionMillis(), config.topics().retentionBytes());
            foundation = closing.add(opener.open(data, tierTraffic));
            foundation.broken().thenAccept(broken::complete);
            PulsarMetadata metadata = foundation.metadata();
            ObjectStore objects = foundation.objects();
            WalStore logs = foundation.logs();
            StoreLayout layout = foundation.layout();
            warnOfOtherSettings(
                    config.store(), layout.staying(Durability.DEFAULT.level()).size());
            cluster = foundation.cluster();
            peers = closing.add(new PeerSide(foundation, cluster, memory, config.internal()));
            var tasks = new VirtualThreads();
            var riders = new Broker.Riders(ProducerLimits.DEFAULT);
            var tier = new ObjectTierFactory(
                    objects, tasks, TieringConfig.DEFAULT.reads(TierStore.reads(config.tier())), System.nanoTime());
            ContainerConfig.Log logSizes = log(config.store());
            var setup = new ContainerSetup(
                    foundation.leases(),
                    foundation.node(),
                    foundation.lease(),
                    ContainerConfig.DEFAULT,
                    count -> memory.share(logSizes, count),
                    (id, durability, share) -> new ContainerParts(
                            logs,
                            new StreamingCache(new CacheConfig(share.cacheBytes(), memory.cacheBytes())),
                            riders.factory(),
                            tier,
                            tasks,
                            ends(durability, data.resolve("acknowledged").resolve(String.valueOf(id)))),
                    foundation.copies().ackQuorum(),
                    foundation.logAttempts());
            containers = closing.add(new ServedContainers(layout, setup, containerLoops(), foundation.assigned()));
            containers.broken().thenAccept(broken::complete);
            health = newHealth();
            producerIds = new IdAllocator(metadata, "producers", ID_BLOCK);
            // Message ids begin with one: those of a topic made again, perhaps by another node, are above what its
            // readers have seen.
            var segmentIds = new IdAllocator(metadata, "segments", foundation.isShared() ? 1 : ID_BLOCK);
            var onDemand = new ContainersOnDemand(containerLoops());
            var sources = new StoredTopicCatalogue.Sources(
                    segmentIds::reserve,
                    UUID::randomUUID,
                    System::currentTimeMillis,
                    Executors.newVirtualThreadPerTaskExecutor(),
                    config.topics().durability(),
                    onDemand,
                    foundation.isShared() ? new OwnersInCluster(cluster) : ChangeOwners.ALONE);
            Broker opened =
                    closing.add(Broker.open(riders, containers, peers.operations(containers), metadata, sources));
            broker = opened;
            opened.answerOthers(peers.handlers(), partitionSteps, sources.tasks());
            lostBytes = new LostBytes(opened::catalogue, tasks);
            containers.onServing(lostBytes);
            containers.start();
            foundation.serve(containers);
            if (!containers.awaitServing(RECOVERY, broken::isDone)) {
                if (broken.isDone()) {
                    throw new StartException(broken.join());
                }
                String damage = containers.damage();
                if (damage != null) {
                    throw new StartException(damage + ": " + foundation.adviceOnDamage());
                }
                throw new IOException("the containers did not recover within " + RECOVERY.toMinutes() + " minutes");
            }
            peers.listen();
            broker.finishInterrupted();
            compaction = compaction(broker, segmentIds::reserve, memory);
            var gathering = new GatherPartitions(compaction);
            containerCount = new ContainerCount(
                    metadata,
                    containers,
                    id -> {
                        DeleteContainer.run(objects, id);
                        logs.delete(id);
                    },
                    new KnownContainers(broker, cluster),
                    foundation::resize,
                    memory.mostContainers(),
                    gathering::round);
            atTheController(containerCount::finishInterrupted).round();
            onDemand.from(containerCount);
            closing.add(Rounds.start(
                    "placement",
                    Thread.ofVirtual(),
                    Duration.ZERO,
                    FINISH_PAUSE,
                    // nodes may have different levels in their settings: each would take back what the other moves
                    atTheController(broker.keepPartitionsPlaced()::round)));
            closing.add(Rounds.start(
                    "leaving containers",
                    Thread.ofPlatform().daemon(),
                    FINISH_PAUSE,
                    FINISH_PAUSE,
                    containerCount::round));
            closing.add(Rounds.start(
                    "interrupted changes", Thread.ofVirtual(), FINISH_PAUSE, FINISH_PAUSE, broker::finishLeft));
            closing.add(Rounds.start(
                    "left places", Thread.ofVirtual(), FINISH_PAUSE, FINISH_PAUSE, broker.leftPlaces()::round));
            closing.add(Rounds.start(
                    "spent segments",
                    Thread.ofVirtual(),
                    FINISH_PAUSE,
                    FINISH_PAUSE,
                    broker.scalableTopics()::removeSpent));
            Duration retention = Duration.ofMillis(config.topics().retentionCheckMillis());
            closing.add(Rounds.start("retention", Thread.ofVirtual(), retention, retention, enforceRetention(broker)));
            Duration compacting = Duration.ofMillis(config.topics().compactionCheckMillis());
            closing.add(Rounds.start(
                    "compaction",
                    Thread.ofPlatform().daemon(),
                    compacting,
                    compacting,
                    new CompactionScheduler(
                                    compaction,
                                    List.of(KeyedBatches.FORMAT, KeyedMessages.FORMAT),
                                    CompactionPolicy.INTERNAL)::round));
        } catch (Throwable e) {
            closing.close();
            throw e;
        }
    }

    /** Runs the task at one node of the cluster at a time. */
    private Rounds.Task atTheController(Rounds.Task task) {
        return () -> {
            if (isController()) {
                task.round();
            }
        };
    }

    /** Whether this node decides what concerns the whole cluster. */
    boolean isController() {
        ClusterNode controller = cluster.controller();
        return controller != null && cluster.isSelf(controller);
    }

    /** Tells other nodes that this one takes requests. */
    void started() {
        foundation.started();
    }

    /** Has other nodes take over what this one serves, if there are any; blocks, within a bound. */
    void drain() {
        try {
            foundation.drain();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Retention of topics without settings of their own. Keeps everything until it is known what namespaces say. */
    private Retention retentionByDefault(Topic topic) {
        Function<TopicName, Optional<Retention>> known = retentionOfNamespaces;
        return known == null ? Retention.KEEP : known.apply(topic.name()).orElse(retentionOfServer);
    }

    /** Retention of a topic as it holds now. */
    Retention retentionOf(Topic topic) {
        return Retention.of(topic, retentionByDefault(topic));
    }

    /** Address of the metadata store. */
    String metadataUrl() {
        return foundation.metadataUrl();
    }

    /** Bookies that the log is on. */
    Foundation.Copies copies() {
        return foundation.copies();
    }

    /** @param ofNamespaces retention of topics that have none of their own, where their namespace has one */
    void retainBy(Function<TopicName, Optional<Retention>> ofNamespaces) {
        retentionOfNamespaces = ofNamespaces;
    }

    private Rounds.Task enforceRetention(Broker broker) {
        var retention = new EnforceRetention(
                broker.catalogue(), broker.partitions(), this::retentionByDefault, System::currentTimeMillis);
        return () -> {
            int cut = retention.round();
            if (cut > 0) {
                log.info("Retention has cut {} partitions", cut);
            }
        };
    }

    private static CompactionResources compaction(Broker broker, SegmentIds ids, MemoryBudget memory) {
        return new CompactionResources(
                broker.catalogue(),
                broker.partitions(),
                broker.companions(),
                ids,
                memory.compactionMapBytes(),
                memory.compactionObjectBytes(),
                System::currentTimeMillis);
    }

    /** Opens or initialises the store in {@code data}, all of it, and returns when every container serves. */
    public static Storage open(ServerConfig config, Path data, MemoryBudget memory) throws StartException {
        return open(config, data, memory, (folder, traffic) -> new EmbeddedFoundation(config, folder, memory, traffic));
    }

    /**
     * Opens or initialises the store and returns when every container serves.
     *
     * @param data folder for what this node remembers of its own
     */
    static Storage open(ServerConfig config, Path data, MemoryBudget memory, Foundation.Opener foundation)
            throws StartException {
        try {
            return new Storage(config, data, memory, foundation);
        } catch (DataFolderException | ObjectStoreException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new StartException("cannot open the store of " + data + ": " + e.getMessage() + " (see the log)");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted while starting");
        }
    }

    /** One for two cores: containers that share a loop share its wake-ups, and their frames more often a write of the log (ADR 0021). */
    private static int containerLoops() {
        return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    /** Warns of settings that only a new store takes; the stored value counts. */
    private static void warnOfOtherSettings(ServerConfig.Store given, int stored) {
        Integer containers = given.containers();
        if (containers != null && containers != stored) {
            log.warn(
                    "store.containers is {} in the settings, but this store was made with {} and keeps them:"
                            + " take the setting out, or give {}",
                    containers,
                    stored,
                    stored);
        }
    }

    private static AcknowledgedEnds ends(Durability durability, Path file) {
        try {
            return durability.defersSync() ? MappedEnds.open(file) : AcknowledgedEnds.NONE;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sizes of frames where there is memory for them, and of logs as the settings say. */
    private static ContainerConfig.Log log(ServerConfig.Store store) {
        ContainerConfig.Log base = ContainerConfig.Log.DEFAULT;
        return new ContainerConfig.Log(
                        base.frameBytes(),
                        base.maxInFlightFrames(),
                        base.maxInFlightBytes(),
                        store.ledgerBytes(),
                        store.walLimitBytes())
                .forcedAfter(TimeUnit.MILLISECONDS.toMicros(store.deferredSyncMillis()));
    }

    private Health newHealth() {
        List<Part> always = new ArrayList<>(foundation.parts());
        always.addFirst(MetadataPart.of(foundation.metadata(), foundation.node().nodeId()));
        return new Health(() -> {
            List<Part> parts = new ArrayList<>(always);
            for (int container : containers.expected()) {
                parts.add(new Part("container " + container, () -> containers.probe(container)));
            }
            return parts;
        });
    }

    /** Health of everything that the storage depends on. */
    Health health() {
        return health;
    }

    /** Completes with the reason, in one line, when this can serve no longer. */
    CompletableFuture<String> broken() {
        return broken;
    }

    Cluster cluster() {
        return cluster;
    }

    /** Questions to other nodes, and to this one. */
    PeerSide peers() {
        return peers;
    }

    /** Steps in partitions that other nodes may ask this one for. */
    PartitionSteps partitionSteps() {
        return partitionSteps;
    }

    Metadata metadata() {
        return foundation.metadata();
    }

    public ServedContainers containers() {
        return containers;
    }

    /** Resources shared by the compactions of all topics. */
    CompactionResources compaction() {
        return compaction;
    }

    /** Name of the cluster that Pulsar's clients see where the settings give none. */
    String clusterName() {
        return foundation.clusterName();
    }

    /** Bookies that have a frame before it is acknowledged, by default. */
    int ackQuorum() {
        return foundation.copies().ackQuorum();
    }

    LostBytes lostBytes() {
        return lostBytes;
    }

    ContainerCount containerCount() {
        return containerCount;
    }

    StoreTraffic tierTraffic() {
        return tierTraffic;
    }

    public Broker broker() {
        return broker;
    }

    /** Producer ids of Kafka's idempotent producers. */
    IdAllocator producerIds() {
        return producerIds;
    }

    @Override
    public void close() {
        closing.close();
    }
}
