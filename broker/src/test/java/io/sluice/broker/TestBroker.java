package io.sluice.broker;

import io.sluice.broker.compaction.CompactionPolicy;
import io.sluice.broker.compaction.CompactionResources;
import io.sluice.broker.compaction.CompactionScheduler;
import io.sluice.broker.compaction.KeyedEntries;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.open.Companions;
import io.sluice.broker.scalable.ScalableTopics;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.StoredTopicCatalogue.Sources;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicDurability;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.InMemoryContainers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A whole broker over in-memory containers, each with a loop of its own: what is acknowledged survives {@link #restart},
 * what is not is lost.
 *
 * <pre>
 *   try (TestBroker broker = TestBroker.start()) {
 *       Topic topic = broker.createTopic("orders", 3);
 *       PartitionLog log = broker.partition("orders", 0);
 *       broker.onLoop(log, log::durableEnd);
 *   }
 * </pre>
 */
public final class TestBroker implements AutoCloseable {
    private static final int CONTAINERS = 2;

    private final MapMetadata metadata = new MapMetadata();
    private final AtomicLong segmentIds = new AtomicLong(1);
    private final Executor tasks = task -> Thread.ofVirtual().start(task);
    private final LongSupplier clock;
    private final Broker.Riders riders = new Broker.Riders(ProducerLimits.DEFAULT);
    private final InMemoryContainers containers;
    private Broker broker;
    private @Nullable LateReads late;

    private TestBroker(int count, LongSupplier clock) {
        this.clock = clock;
        this.containers = InMemoryContainers.withLoops(count, riders.factory(), clock);
        this.broker = open();
    }

    /** With the system's clock. */
    public static TestBroker start() {
        return start(System::currentTimeMillis);
    }

    public static TestBroker start(LongSupplier clock) {
        return new TestBroker(CONTAINERS, clock);
    }

    /** With the system's clock. */
    public static TestBroker startWith(int containers) {
        return new TestBroker(containers, System::currentTimeMillis);
    }

    private Broker open() {
        try {
            containers.start();
            Sources sources = new Sources(segmentIds::getAndAdd, UUID::randomUUID, clock, tasks);
            Broker opened = Broker.open(riders, containers, metadata, sources);
            opened.finishInterrupted();
            return opened;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a crash and the next start: {@link #catalogue} and {@link #partitions} are new ones afterwards. */
    public void restart() {
        containers.restart();
        broker = open();
    }

    /** Another node's view of the same store, whose containers both serve; to be closed by the caller. */
    public Broker anotherNode() throws IOException {
        return Broker.open(
                riders, containers, metadata, new Sources(segmentIds::getAndAdd, UUID::randomUUID, clock, tasks));
    }

    public ScalableTopics scalableTopics() {
        return broker.scalableTopics();
    }

    /** @param clock milliseconds since the epoch */
    public CompactionScheduler compaction(List<KeyedEntries> formats, long mapBytes, LongSupplier clock) {
        return new CompactionScheduler(compaction(mapBytes, clock), formats, CompactionPolicy.INTERNAL);
    }

    /** Compacts internal topics, too, however little they hold. */
    public CompactionScheduler compactionOfAll(List<KeyedEntries> formats, long mapBytes, LongSupplier clock) {
        var always = new CompactionPolicy(0, 0, Long.MAX_VALUE, TimeUnit.DAYS.toMillis(1), 0);
        return new CompactionScheduler(compaction(mapBytes, clock), formats, always);
    }

    /** @param clock milliseconds since the epoch */
    public CompactionResources compaction(long mapBytes, LongSupplier clock) {
        return new CompactionResources(
                catalogue(), partitions(), broker.companions(), segmentIds::getAndAdd, mapBytes, 1 << 20, clock);
    }

    public Companions companions() {
        return broker.companions();
    }

    /** Moves partitions out of containers that leave, as the server does every few seconds. */
    public void movePartitionsHome() throws InterruptedException {
        if (broker.keepPartitionsPlaced().round() > 0) {
            throw new IllegalStateException("some partitions could not be moved");
        }
    }

    public TopicDurability durability() {
        return broker.durability();
    }

    public TopicCatalogue catalogue() {
        return broker.catalogue();
    }

    public Partitions partitions() {
        LateReads elsewhere = late;
        return elsewhere == null ? broker.partitions() : elsewhere;
    }

    /** From here on {@link #partitions} answers reads from another thread, late, and in any order among partitions. */
    public TestBroker readingElsewhere() {
        late = new LateReads(broker.partitions());
        return this;
    }

    /** How many reads were answered so. */
    public int readsElsewhere() {
        LateReads elsewhere = late;
        return elsewhere == null ? 0 : elsewhere.answered();
    }

    /** For holding back durability, evicting, stopping single containers. */
    public InMemoryContainers containers() {
        return containers;
    }

    public MapMetadata metadata() {
        return metadata;
    }

    /** A partitioned topic in the default namespace. */
    public Topic createTopic(String name, int partitions) {
        return createTopic(TopicName.ofDefault(name), partitions, true);
    }

    public Topic createTopic(TopicName name, int partitions, boolean partitioned) {
        return catalogue()
                .create(name, partitions, partitioned, false, Map.of())
                .join();
    }

    /** A partition that exists and is served. */
    public PartitionLog partition(String name, int partition) {
        return partition(TopicName.ofDefault(name), partition);
    }

    public PartitionLog partition(TopicName name, int partition) {
        PartitionLog log = partitions().find(name, partition);
        if (log == null) {
            throw new IllegalStateException("partition " + partition + " of " + name + " is not served");
        }
        return log;
    }

    /** Runs {@code task} on the partition's loop and waits for the result. */
    public <T extends @Nullable Object> T onLoop(PartitionLog log, Supplier<T> task) {
        return containers.onLoop(log.container().id(), task);
    }

    /** Waits until all reads are answered; no more may begin. */
    public void finishReadsElsewhere() {
        LateReads elsewhere = late;
        if (elsewhere != null) {
            elsewhere.close();
            containers.all().forEach(id -> containers.onLoop(id, () -> null));
        }
    }

    @Override
    public void close() {
        containers.close();
    }
}
