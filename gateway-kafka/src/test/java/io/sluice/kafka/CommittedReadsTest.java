package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
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
        try (KafkaConsumer<byte[], byte[]> consumer =
                server.consumer(Map.of("isolation.level", "read_committed", "fetch.max.wait.ms", 20_000))) {
            consumer.assign(List.of(PARTITION));
            consumer.seek(PARTITION, 0);
            assertThat(consumer.poll(Duration.ofMillis(200))).isEmpty();
            write(1, 0, "a");
            assertThat(consumer.poll(Duration.ofMillis(200))).isEmpty();
            end(1, true);
            assertThat(consumer.poll(Duration.ofSeconds(5))).hasSize(1);
        }
    }
}
