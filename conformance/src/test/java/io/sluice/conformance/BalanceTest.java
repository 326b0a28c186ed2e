package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All partitions that are written to lie in one container of eight, and the server changes that while clients write. */
class BalanceTest {
    private static final int CONTAINERS = 8;
    private static final int HOT = 2;
    private static final int PARTITIONS = 16;
    private static final String TOPIC = "busy";
    private static final String VALUE = "v".repeat(2_000);
    /** Each partition is sent a record so often: 2,000 appends a second in all. */
    private static final long PAUSE_NANOS = 8_000_000;

    @TempDir
    private Path folder;

    private final AtomicLong acknowledged = new AtomicLong();
    private final ConcurrentLinkedQueue<Exception> errors = new ConcurrentLinkedQueue<>();
    private volatile boolean stop;

    @Test
    void aHotContainerOfEightIsEvenWithinAMinuteAndClientsSeeNoError() throws Exception {
        try (SluiceServer server =
                SluiceServer.start(folder.resolve("data"), "store: {containers: " + CONTAINERS + "}", Map.of())) {
            var kafka = new KafkaSide(server.kafka());
            kafka.create(TOPIC, PARTITIONS);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                move(server, partition);
            }
            try (var first = kafka.producer(Map.of("linger.ms", 0, "batch.size", 1));
                    var second = kafka.producer(Map.of("linger.ms", 0, "batch.size", 1))) {
                Thread odd = Thread.ofPlatform().start(() -> write(first, 1));
                Thread even = Thread.ofPlatform().start(() -> write(second, 0));
                await().atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofSeconds(1))
                        .until(() ->
                                server.metrics("sluice_balance_moves_total").sum() > 0
                                        && server.metrics("sluice_balance_unevenness")
                                                .allMatch(u -> u <= 1.6));
                stop = true;
                odd.join();
                even.join();
            }
            assertThat(errors).isEmpty();
            assertThat(server.metrics("sluice_balance_moves_total").sum()).isBetween(8.0, PARTITIONS + 4.0);
            assertThat(server.metrics("sluice_balance_failures_total").sum()).isZero();
            StringBuilder logs = new StringBuilder();
            for (SluiceServer node : server.nodes()) {
                logs.append(node.log());
            }
            assertThat(logs.toString()).contains("from container " + HOT + " to ", "container " + HOT + " writes ");
            assertThat(server.get("/sluice/balance"))
                    .startsWith("200 ")
                    .contains("\"moved\":true", "\"from\":" + HOT, "container " + HOT + " writes ");
            long written = 0;
            for (int partition = 0; partition < PARTITIONS; partition++) {
                written += kafka.offset(new TopicPartition(TOPIC, partition), OffsetSpec.latest());
            }
            assertThat(written).isEqualTo(acknowledged.get()).isPositive();
        }
    }

    private static void move(SluiceServer server, int partition) throws Exception {
        String page = "/sluice/topics/move?topic=" + TOPIC + "&partition=" + partition + "&container=" + HOT;
        assertThat(server.ask("POST", page, "").status()).isEqualTo(200);
    }

    /** To every second partition, at a pace. */
    private void write(KafkaProducer<String, String> producer, int remainder) {
        long due = System.nanoTime();
        while (!stop && errors.isEmpty()) {
            for (int partition = remainder; partition < PARTITIONS; partition += 2) {
                producer.send(new ProducerRecord<>(TOPIC, partition, null, VALUE), (written, error) -> {
                    if (error == null) {
                        acknowledged.incrementAndGet();
                    } else {
                        errors.add(error);
                    }
                });
            }
            due += PAUSE_NANOS;
            LockSupport.parkNanos(due - System.nanoTime());
        }
        producer.flush();
    }
}
