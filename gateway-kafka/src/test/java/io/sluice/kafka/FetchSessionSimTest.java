package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client with a fetch session against partitions that are written to, cut, moved, and written to in transactions, between its fetches and
 * while they wait. In the end it has every record, and knows every end and start, although each fetch looks at what has changed only.
 */
@Timeout(900)
class FetchSessionSimTest {
    private static final short VERSION = 12;
    private static final int PARTITIONS = 12;
    private static final int SEEDS = Integer.getInteger("fetch.seeds", 16);
    private static final int STEPS = 150;
    private static final TopicName TOPIC = TopicName.ofDefault("t");

    /** Client's knowledge of one partition of its session. */
    private static final class Known {
        private long position;
        private long highWatermark = -1;
        private long lastStable = -1;
        private long start = -1;
    }

    private final class World implements AutoCloseable {
        private final Random random;
        private final TestGateway server;
        private RawClient client;
        private final Map<Integer, Known> known = new TreeMap<>();
        /** Named in the next request. */
        private final Set<Integer> moved = new HashSet<>();

        private final List<Integer> forgotten = new ArrayList<>();
        private final Map<Integer, Integer> open = new HashMap<>();
        private int producers = 100;
        private int session;
        private int epoch;
        private Isolation isolation = Isolation.UNCOMMITTED;

        World(long seed) throws Exception {
            random = new Random(seed);
            // with room for all, for some, or for no session's watches
            server = TestGateway.withFetchWaits(seed % 5 == 4 ? 10 * 160 : 1 << 20);
            server.broker
                    .catalogue()
                    .create(TOPIC, PARTITIONS, true, false, seed % 2 == 0 ? Map.of() : Map.of(Topic.ELASTIC, "true"))
                    .join();
            client = new RawClient(server.port);
        }

        @Override
        public void close() throws Exception {
            client.close();
            server.close();
        }

        // ---- the partitions

        private int any() {
            return random.nextInt(PARTITIONS);
        }

        private PartitionLog log(int partition) {
            Topic topic = Objects.requireNonNull(server.broker.catalogue().find(TOPIC));
            return Objects.requireNonNull(server.broker.partitions().find(topic, partition));
        }

        private <T> T of(int partition, java.util.function.Function<PartitionLog, T> task) {
            PartitionLog log = log(partition);
            return server.broker.onLoop(log, () -> task.apply(log));
        }

        private void append(int partition, Supplier<ByteBuf> entry) {
            Answers answers = new Answers();
            of(partition, log -> {
                log.append(entry.get(), answers);
                return true;
            });
            assertThat(answers.await()).startsWith("appended");
        }

        private void write() {
            int partition = any();
            append(partition, () -> TestEntries.plain(1 + random.nextInt(3), 50, 1));
        }

        /** Begins a transaction, or ends the one that is open. */
        private void transact() {
            int partition = any();
            Integer producer = open.remove(partition);
            if (producer != null) {
                append(
                        partition,
                        () -> EndMarker.entry(
                                PooledByteBufAllocator.DEFAULT, producer, (short) 0, 1, random.nextBoolean(), 1));
                return;
            }
            int begun = producers++;
            open.put(partition, begun);
            of(partition, log -> {
                var transactions = log.createIfMissing().transactions();
                return transactions.verified(transactions.verify(begun, (short) 0));
            });
            append(
                    partition,
                    () -> Unpooled.copiedBuffer(MemoryRecords.withTransactionalRecords(
                                    Compression.NONE, begun, (short) 0, 0, new SimpleRecord(1, new byte[10]))
                            .buffer()));
        }

        private void cut() {
            int partition = any();
            if (!open.containsKey(partition)) {
                of(partition, log -> {
                    long start = log.startOffset();
                    log.retention()
                            .deleteBefore(
                                    start + random.nextInt((int) (log.durableEnd() - start) + 1), Durable.IGNORED);
                    return true;
                });
            }
        }

        private void move() {
            int partition = any();
            Topic topic = Objects.requireNonNull(server.broker.catalogue().find(TOPIC));
            int now = topic.partitions().get(partition).container();
            int other = server.broker.containers().all().stream()
                    .filter(id -> id != now)
                    .findFirst()
                    .orElseThrow();
            server.broker.catalogue().move(TOPIC, partition, other).join();
        }

        private void change() {
            switch (random.nextInt(12)) {
                case 0 -> move();
                case 1, 2 -> cut();
                case 3, 4, 5 -> transact();
                default -> write();
            }
        }

        // ---- the client

        private void choose() {
            int partition = any();
            if (known.remove(partition) == null) {
                known.put(partition, new Known());
                moved.add(partition);
                forgotten.remove((Integer) partition);
            } else {
                moved.remove(partition);
                forgotten.add(partition);
            }
        }

        private FetchRequestData request(int maxWait) {
            List<FetchPartition> named = new ArrayList<>();
            Iterable<Integer> all = session == 0 ? known.keySet() : moved;
            for (int partition : all) {
                named.add(new FetchPartition()
                        .setPartition(partition)
                        .setFetchOffset(Objects.requireNonNull(known.get(partition)).position)
                        .setPartitionMaxBytes(1 << 20));
            }
            FetchRequestData request = new FetchRequestData()
                    .setMaxWaitMs(maxWait)
                    .setMinBytes(random.nextInt(4) == 0 ? 300 : 1)
                    .setMaxBytes(random.nextInt(3) == 0 ? 200 : 1 << 20)
                    .setIsolationLevel((byte) (isolation == Isolation.COMMITTED ? 1 : 0))
                    .setSessionId(session)
                    .setSessionEpoch(epoch);
            if (!named.isEmpty()) {
                request.topics().add(new FetchTopic().setTopic("t").setPartitions(named));
            }
            if (session != 0 && !forgotten.isEmpty()) {
                request.forgottenTopicsData()
                        .add(new ForgottenTopic().setTopic("t").setPartitions(List.copyOf(forgotten)));
            }
            moved.clear();
            forgotten.clear();
            return request;
        }

        /** Gives the number of partitions in the answer. */
        private int fetch(int maxWait, int changesMeanwhile) throws Exception {
            if (known.isEmpty()) {
                choose();
            }
            client.send(ApiKeys.FETCH, VERSION, request(maxWait));
            for (int i = 0; i < changesMeanwhile; i++) {
                change();
            }
            FetchResponseData answer = new FetchResponseData(client.receive(ApiKeys.FETCH, VERSION), VERSION);
            assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
            session = answer.sessionId();
            epoch++;
            assertThat(session).isPositive();
            int told = 0;
            for (var topic : answer.responses()) {
                for (PartitionData each : topic.partitions()) {
                    told++;
                    take(each, Objects.requireNonNull(known.get(each.partitionIndex())));
                }
            }
            return told;
        }

        private void take(PartitionData told, Known partition) {
            switch (Errors.forCode(told.errorCode())) {
                case NONE -> {
                    partition.highWatermark = told.highWatermark();
                    partition.lastStable = told.lastStableOffset();
                    partition.start = told.logStartOffset();
                    read(told, partition);
                }
                case OFFSET_OUT_OF_RANGE -> {
                    partition.position = of(told.partitionIndex(), PartitionLog::startOffset);
                    moved.add(told.partitionIndex());
                }
                case NOT_LEADER_OR_FOLLOWER -> moved.add(told.partitionIndex());
                default -> throw new AssertionError(Errors.forCode(told.errorCode()));
            }
        }

        private void read(PartitionData told, Known partition) {
            if (random.nextInt(8) == 0) {
                return; // gets the same again, without having named the partition
            }
            for (RecordBatch batch : ((MemoryRecords) told.records()).batches()) {
                assertThat(batch.baseOffset()).isLessThanOrEqualTo(partition.position);
                assertThat(batch.lastOffset()).isGreaterThanOrEqualTo(partition.position);
                partition.position = batch.nextOffset();
                moved.add(told.partitionIndex());
            }
        }

        private void step() throws Exception {
            switch (random.nextInt(20)) {
                case 0, 1 -> choose();
                case 2 -> isolation = random.nextBoolean() ? Isolation.COMMITTED : Isolation.UNCOMMITTED;
                case 3 -> {
                    client.close(); // the session outlives its connection
                    client = new RawClient(server.port);
                }
                case 4, 5, 6, 7, 8 -> change();
                case 9, 10, 11 -> fetch(random.nextInt(8), random.nextInt(4));
                case 12 -> fetch(40, 1 + random.nextInt(4));
                default -> fetch(0, 0);
            }
        }

        /** What the client does not know of a partition; empty if it knows everything. */
        private String missed(int number, Known partition) {
            return of(number, log -> {
                // it may have read further when it read what was not committed
                long readable = Math.max(
                        log.readableEnd(isolation),
                        Math.min(partition.position, log.readableEnd(Isolation.UNCOMMITTED)));
                List<Long> truth =
                        List.of(readable, log.durableEnd(), log.readableEnd(Isolation.COMMITTED), log.startOffset());
                List<Long> client =
                        List.of(partition.position, partition.highWatermark, partition.lastStable, partition.start);
                return truth.equals(client) ? "" : number + ": " + client + " instead of " + truth + "; ";
            });
        }

        /** What nobody changes any more is known after fetches that have something to tell, and some to make sure. */
        private void checkAll() throws Exception {
            int quiet = 0;
            for (int i = 0; i < 1_000 && quiet < 20; i++) {
                boolean pending = !moved.isEmpty();
                quiet = fetch(0, 0) == 0 && !pending ? quiet + 1 : 0;
                if (quiet == 10) {
                    server.clockAhead.addAndGet(
                            1_000); // a partition that moved before it was made is looked up again by now
                }
            }
            assertThat(quiet).as("fetches without news").isEqualTo(20);
            StringBuilder missed = new StringBuilder();
            known.forEach((number, partition) -> missed.append(missed(number, partition)));
            assertThat(missed.toString()).as(isolation.name()).isEmpty();
        }
    }

    @Test
    void nothingIsMissedThoughNothingElseIsLookedAt() throws Exception {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try (World world = new World(seed)) {
                IntStream.range(0, PARTITIONS / 2).forEach(i -> world.choose());
                for (int step = 0; step < STEPS; step++) {
                    world.step();
                }
                world.checkAll();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }
}
