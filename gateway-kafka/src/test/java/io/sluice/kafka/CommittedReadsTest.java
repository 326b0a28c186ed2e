package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.LoopTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What stock consumers see of transactions that are open, committed and aborted. */
class CommittedReadsTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private TestGateway server;
    private PartitionLog log;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        server.broker.createTopic("t", 1);
        log = server.broker.partition("t", 0);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    /** As if the coordinator had said that the producer's transaction goes on. */
    private void begin(long producer) {
        server.broker.onLoop(
                log, () -> log.transactions().verified(log.transactions().verify(producer, (short) 0)));
    }

    private void write(long producer, int sequence, String value) {
        MemoryRecords records = MemoryRecords.withTransactionalRecords(
                Compression.NONE, producer, (short) 0, sequence, new SimpleRecord(1, value.getBytes()));
        append(Unpooled.copiedBuffer(records.buffer()));
    }

    private void end(long producer, boolean commit) {
        append(EndMarker.entry(PooledByteBufAllocator.DEFAULT, producer, (short) 0, 1, commit, 1));
    }

    private void append(ByteBuf entry) {
        var answers = new Answers();
        server.broker.onLoop(log, () -> {
            log.append(entry, answers);
            return true;
        });
        assertThat(answers.await()).startsWith("appended");
    }

    private void writeOutside(String value) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            producer.send(new ProducerRecord<>("t", 0, null, value.getBytes())).get();
        }
    }

    private List<String> read(String isolation, long end) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of("isolation.level", isolation))) {
            consumer.assign(List.of(PARTITION));
            consumer.seek(PARTITION, 0);
            await().until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(new String(record.value())));
                return consumer.position(PARTITION) == end;
            });
            assertThat(consumer.endOffsets(List.of(PARTITION))).containsEntry(PARTITION, end);
        }
        return values;
    }

    @Test
    void aReaderOfWhatIsCommittedSeesNothingElseAndStopsAtTheFirstOpenTransaction() throws Exception {
        begin(1);
        begin(2);
        begin(3);
        write(1, 0, "a1");
        write(2, 0, "b1");
        writeOutside("x");
        write(1, 1, "a2");
        end(2, false);
        end(1, true);
        write(3, 0, "c1");
        writeOutside("y");
        begin(2);
        write(2, 1, "b2");
        end(2, true);
        // c1, at 6, is undecided
        assertThat(read("read_committed", 6)).containsExactly("a1", "x", "a2");
        assertThat(read("read_uncommitted", 10)).containsExactly("a1", "b1", "x", "a2", "c1", "y", "b2");
        end(3, false);
        assertThat(read("read_committed", 11)).containsExactly("a1", "x", "a2", "y", "b2");
    }

    @Test
    void aParkedReaderIsWokenByTheMarkerAndNotBefore() throws Exception {
        begin(1);
        // it waits for longer than it is polled, so only the marker wakes it
        Map<String, Object> settings = Map.of(
                "isolation.level", "read_committed", "fetch.max.wait.ms", 120_000, "request.timeout.ms", 180_000);
        try (KafkaConsumer<byte[], byte[]> consumer = server.consumer(settings)) {
            consumer.assign(List.of(PARTITION));
            consumer.seek(PARTITION, 0);
            assertThat(consumer.poll(Duration.ofMillis(200))).isEmpty();
            write(1, 0, "a");
            assertThat(consumer.poll(Duration.ofMillis(200))).isEmpty();
            end(1, true);
            assertThat(consumer.poll(Duration.ofSeconds(60))).hasSize(1);
        }
    }

    /** Reads of what is not in memory take a while. What was aborted among it is not known any more once it is let go. */
    @Test
    void whatWasAbortedIsNotShownThoughItIsDeletedDuringTheRead() throws Exception {
        begin(1);
        write(1, 0, "a");
        end(1, false);
        writeOutside("x");
        PartitionData answer = fetchWhile(List.of(() -> log.retention().deleteBefore(2, Durable.IGNORED)));
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
        assertThat(answer.records().sizeInBytes()).isZero();
        assertThat(answer.logStartOffset()).isEqualTo(-1);
        assertThat(server.broker.onLoop(log, log::startOffset)).isEqualTo(2);
    }

    @Test
    void whatWasAbortedIsKnownThoughItIsDeletedBetweenTwoReadsOfAFetch() throws Exception {
        begin(1);
        write(1, 0, "a".repeat(3000));
        end(1, false);
        writeOutside("x".repeat(3000));
        PartitionData answer =
                fetchWhile(List.of(() -> {}, () -> log.retention().deleteBefore(2, Durable.IGNORED)));
        assertThat(answer.errorCode()).isZero();
        List<Long> offsets = new ArrayList<>();
        ((MemoryRecords) answer.records()).batches().forEach(batch -> offsets.add(batch.baseOffset()));
        assertThat(offsets).containsExactly(0L, 1L, 2L);
        assertThat(answer.abortedTransactions())
                .containsExactly(new AbortedTransaction().setProducerId(1).setFirstOffset(0));
    }

    /** The answer to a fetch from 0 of which nothing is in memory; each task runs before the next piece of 4 KiB is there. */
    private PartitionData fetchWhile(List<Runnable> tasks) throws Exception {
        InMemoryContainer container =
                server.broker.containers().get(log.container().id());
        CountDownLatch goOn = new CountDownLatch(1);
        container.execute(LoopTask.of(
                () -> {
                    container.evict(log.partitionId(), log.sizeBytes());
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                why -> {}));
        try (RawClient client = new RawClient(server.port)) {
            int before = container.hops();
            FetchRequestData request = new FetchRequestData()
                    .setMaxWaitMs(30_000)
                    .setMinBytes(1)
                    .setSessionEpoch(-1)
                    .setIsolationLevel((byte) 1)
                    .setTopics(List.of(new FetchTopic()
                            .setTopic("t")
                            .setPartitions(List.of(new FetchPartition().setPartitionMaxBytes(1 << 20)))));
            client.send(ApiKeys.FETCH, (short) 12, request);
            await().until(() -> container.hops() > before);
            inTurns(container, tasks);
            goOn.countDown();
            FetchResponseData answer = new FetchResponseData(client.receive(ApiKeys.FETCH, (short) 12), (short) 12);
            return answer.responses().getFirst().partitions().getFirst();
        }
    }

    private static void inTurns(InMemoryContainer container, List<Runnable> tasks) {
        container.execute(LoopTask.of(
                () -> {
                    tasks.getFirst().run();
                    if (tasks.size() > 1) {
                        inTurns(container, tasks.subList(1, tasks.size()));
                    }
                },
                why -> {}));
    }
}
