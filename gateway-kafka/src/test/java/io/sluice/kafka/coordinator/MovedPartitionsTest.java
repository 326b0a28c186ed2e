package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stock clients while partitions move from container to container under their feet. */
@Timeout(120)
class MovedPartitionsTest {
    private static final int PARTITIONS = 4;
    private static final int MOVES = 40;
    private static final TopicName NAME = TopicName.ofDefault("t");

    private final GroupServer server;

    MovedPartitionsTest() throws Exception {
        server = new GroupServer();
        server.broker().createTopic("t", PARTITIONS);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private Map<String, Object> settings(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", "127.0.0.1:" + server.port());
        return settings;
    }

    private Topic topic() {
        Topic found = server.broker().catalogue().find(NAME);
        if (found == null) {
            throw new AssertionError("the topic is gone");
        }
        return found;
    }

    /** Sends each partition 0, 1, 2, ... until it is told to stop; gives how many each got. */
    private int produce(AtomicBoolean enough) throws Exception {
        List<java.util.concurrent.Future<?>> sent = new ArrayList<>();
        int each = 0;
        try (var producer = new KafkaProducer<>(
                settings(Map.of("linger.ms", 1, "enable.idempotence", true, "delivery.timeout.ms", 60_000)),
                new IntegerSerializer(),
                new IntegerSerializer())) {
            while (!enough.get()) {
                for (int p = 0; p < PARTITIONS; p++) {
                    sent.add(producer.send(new ProducerRecord<>("t", p, p, each)));
                }
                each++;
                if (each % 50 == 0) {
                    producer.flush();
                }
            }
        }
        for (var answer : sent) {
            answer.get(60, TimeUnit.SECONDS);
        }
        return each;
    }

    private KafkaConsumer<Integer, Integer> consumer(String group) {
        return new KafkaConsumer<>(
                settings(Map.of("group.id", group, "auto.offset.reset", "earliest", "enable.auto.commit", false)),
                new IntegerDeserializer(),
                new IntegerDeserializer());
    }

    private static void take(ConsumerRecord<Integer, Integer> record, int[] next) {
        assertThat(record.value()).as("partition %d", record.partition()).isEqualTo(next[record.partition()]);
        assertThat(record.offset()).isEqualTo(next[record.partition()]);
        next[record.partition()]++;
    }

    private static int total(int[] next) {
        int total = 0;
        for (int each : next) {
            total += each;
        }
        return total;
    }

    private void moveAbout() {
        Random random = new Random(1);
        for (int i = 0; i < MOVES; i++) {
            int partition = random.nextInt(PARTITIONS);
            int other = 1 - topic().partitions().get(partition).container();
            server.broker().catalogue().move(NAME, partition, other).join();
        }
    }

    @Test
    void producersAndConsumersGoOnInOrderAndNothingIsLostOrDoubled() throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Integer> produced = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                produced.complete(produce(enough));
            } catch (Exception e) {
                produced.completeExceptionally(e);
            }
        });
        int[] next = new int[PARTITIONS];
        try (var consumer = consumer("g")) {
            consumer.subscribe(List.of("t"));
            while (total(next) == 0) {
                consumer.poll(Duration.ofMillis(50)).forEach(record -> take(record, next));
            }
            CompletableFuture<Void> moving = CompletableFuture.runAsync(this::moveAbout);
            while (!moving.isDone()) {
                consumer.poll(Duration.ofMillis(50)).forEach(record -> take(record, next));
            }
            moving.join();
            enough.set(true);
            int each = produced.get(60, TimeUnit.SECONDS);
            while (total(next) < each * PARTITIONS) {
                consumer.poll(Duration.ofMillis(50)).forEach(record -> take(record, next));
            }
            // A position that the client is validating, because its partition has just moved, is not committed.
            Map<TopicPartition, OffsetAndMetadata> committed = Map.of();
            while (committed.isEmpty() || committed.containsValue(null)) {
                consumer.poll(Duration.ofMillis(50)).forEach(record -> take(record, next));
                consumer.commitSync();
                committed = consumer.committed(consumer.assignment());
            }
            assertThat(committed.values())
                    .allSatisfy(at -> assertThat(at.offset()).isEqualTo(each));
        }
        assertThat(topic().partitions())
                .anySatisfy(p -> assertThat(p.earlier().size()).isGreaterThan(3));
        readFromTheStart(total(next));
    }

    /** One request on its way at a time: what a move costs it is one answer that says where to go, or less. */
    @Test
    void aProducerGetsOneRetriableAnswerAMoveAtMost() throws Exception {
        try (var producer = new KafkaProducer<>(
                settings(Map.of("linger.ms", 0, "max.in.flight.requests.per.connection", 1)),
                new IntegerSerializer(),
                new IntegerSerializer())) {
            double before = 0;
            int sent = 0;
            for (int i = 0; i < MOVES; i++) {
                sent = send(producer, sent);
                int other = 1 - topic().partitions().getFirst().container();
                CompletableFuture<?> move =
                        server.broker().catalogue().move(NAME, 0, other).toCompletableFuture();
                do {
                    sent = send(producer, sent);
                } while (!move.isDone());
                move.join();
                sent = send(producer, sent);
                double after = retries(producer);
                assertThat(after - before).as("move %d", i).isLessThanOrEqualTo(1);
                before = after;
            }
            assertThat(before).as("retriable answers of %d moves", MOVES).isPositive();
        }
    }

    private static int send(KafkaProducer<Integer, Integer> producer, int value) throws Exception {
        var answer = producer.send(new ProducerRecord<>("t", 0, 0, value)).get(60, TimeUnit.SECONDS);
        assertThat(answer.offset()).isEqualTo(value);
        return value + 1;
    }

    private static double retries(KafkaProducer<?, ?> producer) {
        return producer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("record-retry-total"))
                .filter(metric -> metric.metricName().group().equals("producer-metrics"))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    /** Through every segment of the chain, and by time. */
    private void readFromTheStart(int records) {
        int[] next = new int[PARTITIONS];
        try (var consumer = consumer("anew")) {
            consumer.subscribe(List.of("t"));
            while (total(next) < records) {
                consumer.poll(Duration.ofMillis(50)).forEach(record -> take(record, next));
            }
            Map<TopicPartition, Long> from = new HashMap<>();
            consumer.assignment().forEach(partition -> from.put(partition, 1L));
            consumer.offsetsForTimes(from)
                    .values()
                    .forEach(found -> assertThat(found.offset()).isZero());
        }
    }
}
