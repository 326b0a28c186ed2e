package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads are answered by another thread, late, and in any order among the partitions of a fetch. */
@Timeout(60)
class LateAnswersTest {
    private static final int PARTITIONS = 8;
    private static final int RECORDS = 4_000;

    @Test
    void aConsumerGetsEveryRecordOnceAndInOrder() throws Exception {
        try (TestGateway server = TestGateway.readingElsewhere()) {
            server.broker.createTopic("t", PARTITIONS);
            try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of("batch.size", 2_000))) {
                for (int i = 0; i < RECORDS; i++) {
                    producer.send(new ProducerRecord<>("t", i % PARTITIONS, (long) i, null, new byte[200]));
                }
            }
            List<TopicPartition> partitions = IntStream.range(0, PARTITIONS)
                    .mapToObj(p -> new TopicPartition("t", p))
                    .toList();
            Map<TopicPartition, Long> next = new HashMap<>();
            try (KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of("fetch.max.bytes", 50_000))) {
                consumer.assign(partitions);
                consumer.seekToBeginning(partitions);
                for (int got = 0; got < RECORDS; ) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(30))) {
                        long expected = next.merge(new TopicPartition("t", record.partition()), 1L, Long::sum) - 1;
                        assertThat(record.offset()).isEqualTo(expected);
                        got++;
                    }
                }
            }
            assertThat(server.broker.readsElsewhere()).isGreaterThan(PARTITIONS);
            try (Admin admin = Admin.create(server.clientSettings())) {
                var asked = admin.listOffsets(Map.of(partitions.get(3), OffsetSpec.forTimestamp(2_003)));
                assertThat(asked.partitionResult(partitions.get(3)).get().offset())
                        .isEqualTo(250);
            }
        }
    }

    /** With reads under way: nothing is leaked, and nobody is left waiting. */
    @Test
    void aConsumerMayLeaveInTheMiddle() throws Exception {
        try (TestGateway server = TestGateway.readingElsewhere()) {
            server.broker.createTopic("t", PARTITIONS);
            try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of("batch.size", 2_000))) {
                for (int i = 0; i < RECORDS; i++) {
                    producer.send(new ProducerRecord<>("t", i % PARTITIONS, null, new byte[200]));
                }
            }
            for (int i = 0; i < 10; i++) {
                try (KafkaConsumer<byte[], byte[]> consumer =
                        server.consumer(Map.of("auto.offset.reset", "earliest"))) {
                    consumer.assign(List.of(new TopicPartition("t", i % PARTITIONS)));
                    assertThat(consumer.poll(Duration.ofSeconds(30)).count()).isPositive();
                }
            }
        }
    }
}
