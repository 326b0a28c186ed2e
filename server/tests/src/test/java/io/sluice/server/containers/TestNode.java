package io.sluice.server.containers;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.Broker;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.topic.StoredTopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.KafkaGateway;
import io.sluice.kafka.KafkaGatewayConfig;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.server.wiring.Closing;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.cluster.IdAllocator;
import io.sluice.store.cluster.Leases;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.ContainerParts;
import io.sluice.store.container.MemoryShare;
import io.sluice.store.container.VirtualThreads;
import io.sluice.store.pressure.PressureConfig;
import io.sluice.store.read.ReadConfig;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import io.sluice.tiering.ObjectTierFactory;
import io.sluice.tiering.TieringConfig;
import io.sluice.tiering.objectstore.filesystem.DirectoryObjectStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One owner of containers over a {@link SharedStore}, with a link of its own to the metadata, its broker and a Kafka port. */
final class TestNode implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(2);

    private static final ContainerConfig CONFIG = new ContainerConfig(
            ContainerConfig.Log.DEFAULT, 1 << 20, 10_000_000, 1_500_000, PressureConfig.DEFAULT, ReadConfig.DEFAULT);

    private static final long CACHE_BYTES = 32 << 20;

    final MetadataLink metadata;
    final StoppableClock clock = new StoppableClock();
    final ServedContainers containers;
    private final Closing closing = new Closing();
    private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final Broker.Riders riders = new Broker.Riders(ProducerLimits.DEFAULT);

    TestNode(String id, SharedStore shared) throws Exception {
        this(id, shared, LEASE);
    }

    TestNode(String id, SharedStore shared, Duration lease) throws Exception {
        metadata = new MetadataLink(shared.metadata());
        var wal = closing.add(new BookKeeperWalStore(
                shared.bookies(),
                metadata,
                LedgerSettings.STANDALONE,
                shared.layout().clusterId().toString(),
                id));
        var tasks = new VirtualThreads();
        var tier = new ObjectTierFactory(
                closing.add(DirectoryObjectStore.open(shared.tier())), tasks, TieringConfig.DEFAULT, id.hashCode());
        var self = new NodeIdentity(id, UUID.randomUUID());
        var setup = new ContainerSetup(
                Leases.timed(metadata, self, lease, clock),
                self,
                lease,
                CONFIG,
                _ -> new MemoryShare(CONFIG.log(), CONFIG.maxAppendBytes(), CACHE_BYTES, 64 << 20),
                (_, _, share) -> new ContainerParts(
                        wal, new StreamingCache(new CacheConfig(share.cacheBytes())), riders.factory(), tier, tasks),
                LedgerSettings.STANDALONE.ackQuorum(),
                LogAttempts.ALWAYS);
        containers = closing.add(new ServedContainers(shared.layout(), setup, 1));
        containers.onServing(new ServingListener() {
            @Override
            public void serving(int container) {
                events.add("serving");
            }

            @Override
            public void stopped(int container) {
                events.add("stopped");
            }
        });
        containers.start();
    }

    /** The next change; within what a handover may take. */
    String nextEvent() throws InterruptedException {
        String event = events.poll(30, TimeUnit.SECONDS);
        return event == null ? "nothing" : event;
    }

    /** Reads the catalogue as it is now. */
    Broker broker() throws Exception {
        return Broker.open(
                riders,
                containers,
                metadata,
                new StoredTopicCatalogue.Sources(
                        new IdAllocator(metadata, "segments", 10)::reserve,
                        UUID::randomUUID,
                        System::currentTimeMillis,
                        Executors.newVirtualThreadPerTaskExecutor()));
    }

    PartitionLog log(TopicName topic) throws Exception {
        return Objects.requireNonNull(broker().partitions().find(topic, 0));
    }

    /** Loses the metadata in such a way that it cannot even know that time passes. */
    void cutOffUnawares() {
        clock.stop();
        metadata.cut();
    }

    void comeBack() {
        clock.goOn();
        metadata.mend();
    }

    private static long next(IdAllocator ids) {
        try {
            return ids.next();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a Kafka port; says which. */
    int kafka(Broker broker) throws Exception {
        var producerIds = new IdAllocator(metadata, "producers", 10);
        var services = new KafkaServices(
                broker.catalogue(),
                broker.partitions(),
                () -> next(producerIds),
                Executors.newVirtualThreadPerTaskExecutor(),
                System::currentTimeMillis,
                new SingleNode("ownership-test-cluster", 1));
        var config = KafkaGatewayConfig.local(0);
        KafkaGateway gateway = closing.add(new KafkaGateway(config, services, List.of(), new SimpleMeterRegistry()));
        return gateway.start();
    }

    @Override
    public void close() {
        comeBack();
        closing.close();
    }
}
