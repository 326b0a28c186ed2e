package io.sluice.broker.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.TestBroker;
import io.sluice.broker.coordination.SimulatedState.Write;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A state machine that is a map, on a coordinator log: seeded writes, some of them in transactions, compactions between them and
 * between the reads of a load, ends of terms and crashes. Each load must give the state after some write that is not before the last one
 * acknowledged, and after it the log is where the map goes on. What a crash does to a compaction under way is {@code CompactionSim}'s.
 */
final class CoordinatorLogSim implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final TopicName TOPIC = TopicName.ofDefault("state");
    private static final int KEYS = 12;
    private static final int CHUNK_BYTES = 300;
    private static final int MAP_BYTES = 4_000;

    private static final long[] TRANSACTIONS = {101, 102, 103};

    /**
     * One append.
     *
     * @param outcome of the transaction that ends with it; null if it has records
     */
    private record Appended(long transaction, @Nullable Boolean outcome, List<Write> batch) {}

    private final Random random;
    private final PlainRecords format;
    private final TestBroker broker = TestBroker.start();
    private CoordinatorLog log;

    private final List<Appended> writes = new ArrayList<>();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private long expectedEnd;

    private int compactions;

    CoordinatorLogSim(long seed, boolean tombstonesGo) throws InterruptedException {
        random = new Random(seed);
        format = new PlainRecords(tombstonesGo);
        broker.catalogue().create(TOPIC, 1, true, true, Map.of()).join();
        log = open();
        load();
    }

    private CoordinatorLog open() {
        return new CoordinatorLog("state", placement(), broker.partitions(), format.format());
    }

    private Topic.Placement placement() {
        return Objects.requireNonNull(broker.catalogue().find(TOPIC))
                .partitions()
                .getFirst();
    }

    /** @return how many compactions there were */
    int run(int events) throws InterruptedException {
        for (int i = 0; i < events; i++) {
            int event = random.nextInt(100);
            if (event < 50) {
                write();
            } else if (event < 80) {
                compact();
            } else if (event < 92) {
                broker.containers().get(placement().container()).hold();
            } else if (event < 95) {
                release();
            } else {
                fail();
            }
        }
        fail();
        return compactions;
    }

    private void write() {
        int choice = random.nextInt(10);
        long transaction = TRANSACTIONS[random.nextInt(TRANSACTIONS.length)];
        if (choice < 5) {
            append(new Appended(PlainRecords.NO_TRANSACTION, null, batch()));
        } else if (choice < 8) {
            append(new Appended(transaction, null, batch()));
        } else {
            append(new Appended(transaction, random.nextInt(3) > 0, List.of()));
        }
    }

    private List<Write> batch() {
        List<Write> batch = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            String value = random.nextInt(4) == 0 ? null : "v" + writes.size() + "." + i;
            batch.add(new Write("key" + random.nextInt(KEYS), value));
        }
        return batch;
    }

    private void append(Appended next) {
        writes.add(next);
        int count = writes.size();
        int offsets = Math.max(1, next.batch.size());
        long end = log.append(entryOf(next), offsets, PATIENCE, new AppendCompletion() {
            @Override
            public void durable(long at) {
                acknowledged.accumulateAndGet(count, Math::max);
            }

            @Override
            public void lost(StoreFailure why) {}
        });
        expectedEnd += offsets;
        assertThat(end).as("each append begins where the last one ended").isEqualTo(expectedEnd);
    }

    private ByteBuffer entryOf(Appended next) {
        if (next.outcome != null) {
            ByteBuf marker =
                    EndMarker.entry(UnpooledByteBufAllocator.DEFAULT, next.transaction, (short) 0, 0, next.outcome, 0);
            ByteBuffer bytes = ByteBuffer.allocate(marker.readableBytes());
            marker.readBytes(bytes).release();
            return bytes.flip();
        }
        if (next.transaction != PlainRecords.NO_TRANSACTION) {
            verify(next.transaction);
        }
        return PlainRecords.entry(next.batch, next.transaction);
    }

    private void verify(long transaction) {
        PartitionLog partition = log.partition();
        broker.onLoop(partition, () -> {
            PartitionTransactions open = partition.transactions();
            return open.isOpen(transaction, (short) 0) || open.verified(open.verify(transaction, (short) 0));
        });
    }

    private void compact() throws InterruptedException {
        release();
        compactions +=
                broker.compactionOfAll(List.of(format), MAP_BYTES, () -> 1_000).round();
    }

    private void release() {
        broker.containers().get(placement().container()).release();
    }

    /** An end of the term, or a crash, or only another load. */
    private void fail() throws InterruptedException {
        int container = placement().container();
        switch (random.nextInt(4)) {
            case 0 -> {
                broker.restart();
                log = open();
            }
            case 1 -> {
                broker.containers().stop(container);
                broker.containers().start(container);
            }
            case 2 -> broker.containers().restartKeepingTail(container);
            default -> release();
        }
        load();
    }

    private void load() throws InterruptedException {
        SimulatedState state = new SimulatedState();
        release();
        LogLoad load = log.load(CHUNK_BYTES);
        for (ByteBuffer chunk = load.next(PATIENCE); chunk != null; chunk = load.next(PATIENCE)) {
            PlainRecords.replay(chunk, state);
            if (random.nextInt(10) == 0) {
                compact();
            }
        }
        expectedEnd = load.offset();
        goOnFrom(state.values());
    }

    /** Finds after which write the state stands; what was written after it is lost. */
    private void goOnFrom(Map<String, String> state) {
        int least = acknowledged.get();
        SimulatedState model = new SimulatedState();
        long position = 0;
        List<Integer> fitting = new ArrayList<>();
        for (int n = 0; n <= writes.size(); n++) {
            if (n > 0) {
                position = apply(model, writes.get(n - 1), position);
            }
            if (n >= least && model.values().equals(state)) {
                fitting.add(n);
            }
        }
        assertThat(fitting)
                .as("the state after one of the writes %d to %d, but it is %s", least, writes.size(), state)
                .isNotEmpty();
        writes.subList(fitting.getLast(), writes.size()).clear();
        acknowledged.set(writes.size());
    }

    private static long apply(SimulatedState model, Appended next, long position) {
        long at = position;
        for (Write write : next.batch) {
            model.write(write, at++, next.transaction);
        }
        if (next.outcome != null) {
            model.ended(next.transaction, next.outcome);
            at++;
        }
        return at;
    }

    @Override
    public void close() {
        broker.close();
    }
}
