package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Consumers that wait for records take no more of the heap than there is for them, and get their records whether there is room or not. */
@Timeout(120)
class FetchWaitsTest {
    private static final int PARTITIONS = 10;
    private static final Map<String, Object> LONG_WAIT =
            Map.of("auto.offset.reset", "earliest", "fetch.max.wait.ms", 5_000);

    private static List<TopicPartition> partitions() {
        return IntStream.range(0, PARTITIONS)
                .mapToObj(p -> new TopicPartition("t", p))
                .toList();
    }

    private static double waiting(TestGateway server) {
        return server.registry.get("sluice.kafka.fetch.waiting").gauge().value();
    }

    @Test
    void aFetchHasItsRoomUntilItIsAnswered() throws Exception {
        try (TestGateway server = TestGateway.withFetchWaits(1 << 20)) {
            server.broker.createTopic("t", PARTITIONS);
            try (var consumer = server.consumer(LONG_WAIT)) {
                consumer.assign(partitions());
                await().until(() -> {
                    consumer.poll(Duration.ofMillis(10));
                    return waiting(server) == PARTITIONS * 160;
                });
                send(server, 3);
                assertThat(read(consumer, 1)).hasSize(1);
            }
            await().until(() -> waiting(server) == 0);
        }
    }

    @Test
    void whoFindsNoRoomLooksAgainAndTakesNone() throws Exception {
        long limit = 2 * PARTITIONS * 160;
        try (TestGateway server = TestGateway.withFetchWaits(limit)) {
            server.broker.createTopic("t", PARTITIONS);
            List<KafkaConsumer<byte[], byte[]>> consumers = new ArrayList<>();
            try {
                for (int c = 0; c < 5; c++) {
                    KafkaConsumer<byte[], byte[]> consumer = server.consumer(LONG_WAIT);
                    consumers.add(consumer);
                    consumer.assign(partitions());
                }
                await().until(() -> {
                    consumers.forEach(consumer -> consumer.poll(Duration.ofMillis(10)));
                    assertThat(waiting(server)).isLessThanOrEqualTo(limit);
                    return waiting(server) == limit;
                });
                for (int round = 0; round < 3; round++) {
                    send(server, round);
                    for (KafkaConsumer<byte[], byte[]> consumer : consumers) {
                        assertThat(read(consumer, 1)).hasSize(1);
                        assertThat(waiting(server)).isLessThanOrEqualTo(limit);
                    }
                }
            } finally {
                consumers.forEach(KafkaConsumer::close);
            }
            await().until(() -> waiting(server) == 0);
        }
    }

    /** A fetch that waits for more bytes than there are gets those when its time is up. */
    @Test
    void withoutRoomWhatIsThereIsGivenInTheEnd() throws Exception {
        try (TestGateway server = TestGateway.withFetchWaits(0)) {
            server.broker.createTopic("t", PARTITIONS);
            send(server, 4);
            try (var consumer = server.consumer(Map.of("auto.offset.reset", "earliest", "fetch.min.bytes", 1 << 20))) {
                consumer.assign(partitions());
                assertThat(read(consumer, 1)).hasSize(1);
            }
            assertThat(waiting(server)).isZero();
        }
    }

    private static void send(TestGateway server, int partition) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            producer.send(new ProducerRecord<>("t", partition, null, new byte[100]))
                    .get(20, TimeUnit.SECONDS);
        }
    }

    private static List<byte[]> read(KafkaConsumer<byte[], byte[]> consumer, int records) {
        List<byte[]> all = new ArrayList<>();
        while (all.size() < records) {
            consumer.poll(Duration.ofMillis(100)).forEach(r -> all.add(r.value()));
        }
        return all;
    }
}
