package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * From 4 containers to 6 and back, and down to 2 with all that the others hold, while an idempotent producer writes, with kills in between:
 * nothing is lost or doubled.
 */
class ContainersUnderLoadTest {
    private static final String TOPIC = "counted";
    private static final int PARTITIONS = 8;
    private static final Duration SOON = Duration.ofSeconds(120);

    @TempDir
    private Path folder;

    @Test
    void theirNumberChangesUnderLoadAndStaysOverKills() throws Exception {
        try (SluiceServer server = SluiceServer.start(
                folder.resolve("data"), "store: {containers: 4}\nbalance: {enabled: false}", Map.of())) {
            create(server, TOPIC);
            try (Load load = new Load(server)) {
                load.goOnFor(500);
                assertThat(set(server, 6)).isEqualTo(200);
                awaitContainers(server, "0", "1", "2", "3", "4", "5");
                load.goOnFor(500);
                server.kill();
                server.start();
                awaitContainers(server, "0", "1", "2", "3", "4", "5");
                load.goOnFor(500);
                assertThat(set(server, 4)).isEqualTo(200);
                awaitContainers(server, "0", "1", "2", "3");
                load.goOnFor(500);
                server.kill();
                server.start();
                awaitContainers(server, "0", "1", "2", "3");
                load.goOnFor(500);
                assertThat(set(server, 5)).isEqualTo(200);
                create(server, "later");
                awaitContainers(server, "0", "1", "2", "3", "6");
                assertThat(set(server, 2)).isEqualTo(200);
                server.kill(); // while what three of them hold is on its way
                server.start();
                load.goOnFor(500);
                awaitContainers(server, 2);
                load.goOnFor(500);
                assertThat(set(server, 3)).isEqualTo(200);
                awaitContainers(server, 3);
                assertThat(containers(server)).contains("7");
                load.end();
                assertThat(consumed(server, load.acknowledged.size())).isEqualTo(load.acknowledged);
            }
            if (server.nodes().size() == 1) { // there is a folder to look at
                server.stop();
                assertThat(server.run("verify-data").exitCode()).isZero();
                server.start();
            }
        }
    }

    /** One process has them when it answers; a cluster's controller empties a container afterwards. */
    private static void awaitContainers(SluiceServer server, String... expected) {
        await().atMost(SOON).untilAsserted(() -> assertThat(containers(server)).containsExactly(expected));
    }

    private static void awaitContainers(SluiceServer server, int count) {
        await().atMost(SOON).untilAsserted(() -> assertThat(containers(server)).hasSize(count));
    }

    private static void create(SluiceServer server, String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static int set(SluiceServer server, int count) throws Exception {
        SluiceServer.Answer answer = server.ask("PUT", "/sluice/containers?count=" + count, "");
        assertThat(answer.body()).as("one line").hasLineCount(1);
        return answer.status();
    }

    private static List<String> containers(SluiceServer server) throws Exception {
        return Pattern.compile("\"container\":(\\d+)")
                .matcher(server.get("/sluice/containers"))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    /** By partition: each value once, in the order in which it was sent. */
    private static Map<Long, Integer> consumed(SluiceServer server, int count) {
        Map<Long, Integer> partitions = new HashMap<>();
        Map<Integer, Long> last = new HashMap<>();
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", server.kafka(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new LongDeserializer())) {
            List<TopicPartition> all = new ArrayList<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                all.add(new TopicPartition(TOPIC, partition));
            }
            consumer.assign(all);
            consumer.seekToBeginning(all);
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (partitions.size() < count && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], Long> record : consumer.poll(Duration.ofMillis(200))) {
                    assertThat(partitions.put(record.value(), record.partition()))
                            .as("%d is there once", record.value())
                            .isNull();
                    Long before = last.put(record.partition(), record.value());
                    assertThat(before == null || before < record.value()).isTrue();
                }
            }
        }
        return partitions;
    }

    /** Sends rising numbers until it is told to end; a failed send fails the test. */
    private static final class Load implements AutoCloseable {
        final Map<Long, Integer> acknowledged = new ConcurrentHashMap<>();
        private final AtomicReference<Exception> failure = new AtomicReference<>();
        private final AtomicBoolean over = new AtomicBoolean();
        private final KafkaProducer<byte[], Long> producer;
        private final Thread thread;

        Load(SluiceServer server) {
            producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", server.kafka(), "delivery.timeout.ms", 120_000, "linger.ms", 1),
                    new ByteArraySerializer(),
                    new LongSerializer());
            thread = Thread.ofPlatform().start(this::send);
        }

        private void send() {
            for (long n = 0; !over.get(); n++) {
                long number = n;
                int partition = (int) (n % PARTITIONS);
                producer.send(new ProducerRecord<>(TOPIC, partition, null, number), (_, e) -> {
                    if (e != null) {
                        failure.compareAndSet(null, e);
                    } else {
                        acknowledged.put(number, partition);
                    }
                });
                LockSupport.parkNanos(1_000_000);
            }
        }

        void goOnFor(int more) {
            int goal = acknowledged.size() + more;
            await().atMost(Duration.ofSeconds(120)).until(() -> acknowledged.size() >= goal || failure.get() != null);
            assertThat(failure.get()).isNull();
        }

        void end() throws InterruptedException {
            over.set(true);
            thread.join();
            producer.flush();
            assertThat(failure.get()).isNull();
        }

        @Override
        public void close() throws InterruptedException {
            over.set(true);
            thread.join();
            producer.close(Duration.ofSeconds(5));
        }
    }
}
