package io.sluice.kafka.coordinator;

import static org.awaitility.Awaitility.await;

import io.sluice.broker.TestBroker;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.coordination.AppendCompletion;
import io.sluice.broker.coordination.CoordinatorLog;
import io.sluice.broker.coordination.LogLoad;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.format.KeyedBatches;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/** Group coordinators over a broker in memory, with a topic {@code t} of 4 partitions. */
final class GroupsOnBroker implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private final TestBroker broker = TestBroker.start();
    private @Nullable GroupCoordinators groups;

    GroupsOnBroker() {
        broker.createTopic("t", 4);
    }

    TestBroker broker() {
        return broker;
    }

    /** Waits until all partitions have loaded. */
    GroupClient start(GroupSettings settings) {
        return start(settings, broker.partitions());
    }

    GroupClient start(GroupSettings settings, Partitions partitions) {
        try {
            groups = GroupCoordinators.start(
                    settings,
                    new KafkaServices(
                            broker.catalogue(),
                            partitions,
                            () -> 1,
                            Runnable::run,
                            Time.SYSTEM::milliseconds,
                            new SingleNode("cluster", 1)),
                    Time.SYSTEM);
        } catch (TopicException | InterruptedException e) {
            throw new AssertionError(e.getMessage(), e);
        }
        GroupClient client = new GroupClient(groups);
        awaitLoaded(client);
        return client;
    }

    /** Everything stops as in a crash, and starts again. */
    GroupClient restart(GroupSettings settings) {
        stop();
        broker.restart();
        return start(settings);
    }

    void stop() {
        if (groups != null) {
            groups.close();
        }
    }

    void awaitLoaded(GroupClient client) {
        for (int g = 0; g < 10; g++) {
            String group = "g" + g;
            await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> client.fetch(group, "t", 0) > -2);
        }
        await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> client.fetch("g", "t", 0) > -2);
    }

    /** Ends the terms of all containers and tells the coordinators. */
    void stopServing(GroupClient client) {
        broker.containers().all().forEach(container -> {
            broker.containers().stop(container);
            client.groups().containerStopped(container);
        });
    }

    void serveAgain(GroupClient client) {
        broker.containers().all().forEach(container -> {
            broker.containers().start(container);
            client.groups().containerServing(container);
        });
    }

    private Topic.Placement placement() {
        Topic offsets = broker.catalogue().find(TopicName.ofDefault(GroupCoordinators.OFFSETS_TOPIC));
        return Objects.requireNonNull(offsets).partitions().getFirst();
    }

    /** The container of the first offsets partition. */
    InMemoryContainer container() {
        return broker.containers().get(placement().container());
    }

    private PartitionLog offsets() {
        return Objects.requireNonNull(broker.partitions().find(placement()));
    }

    /** Offsets of the first offsets partition that have been handed out. */
    long sequencedEnd() {
        return broker.onLoop(offsets(), offsets()::sequencedEnd);
    }

    /** The first offsets partition becomes the last record of each of its keys, each in an entry, in any order. */
    void shuffleLastRecords(Random random) {
        CoordinatorLog log = new CoordinatorLog("offsets", placement(), broker.partitions(), EntryFormat.KAFKA_V2);
        Map<ByteBuffer, Record> last = new LinkedHashMap<>();
        LogLoad load = log.load();
        forEach(load, record -> last.put(record.key(), record));
        List<Record> records = new ArrayList<>(last.values());
        records.removeIf(record -> !record.hasValue());
        Collections.shuffle(records, random);
        for (Record record : records) {
            ByteBuffer entry = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(record))
                    .buffer();
            CompletableFuture<Long> durable = new CompletableFuture<>();
            log.append(entry, 1, PATIENCE, new AppendCompletion() {
                @Override
                public void durable(long at) {
                    durable.complete(at);
                }

                @Override
                public void lost(StoreFailure why) {
                    durable.completeExceptionally(new AssertionError(why.message()));
                }
            });
            durable.join();
        }
        broker.onLoop(offsets(), () -> {
            offsets().retention().deleteBefore(load.offset(), Durable.IGNORED);
            return true;
        });
    }

    private static void forEach(LogLoad load, Consumer<Record> each) {
        for (ByteBuffer chunk = load.next(PATIENCE); chunk != null; chunk = load.next(PATIENCE)) {
            MemoryRecords.readableRecords(chunk).records().forEach(each);
        }
    }

    /** Records of the first offsets partition. */
    int records() {
        AtomicInteger count = new AtomicInteger();
        CoordinatorLog log = new CoordinatorLog("offsets", placement(), broker.partitions(), EntryFormat.KAFKA_V2);
        forEach(log.load(), record -> count.incrementAndGet());
        return count.get();
    }

    /** Compacts the offsets partitions; how many. */
    int compact() {
        try {
            return broker.compactionOfAll(List.of(KeyedBatches.FORMAT), 1 << 20, System::currentTimeMillis)
                    .round();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Keeps the loop of the first offsets partition busy until the latch opens. */
    void keepLoopBusy(CountDownLatch until) {
        container().execute(LoopTask.of(() -> {
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    @Override
    public void close() {
        stop();
        broker.close();
    }
}
