package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.balance.MeasureLoad;
import io.sluice.broker.balance.Strain;
import io.sluice.broker.scaling.KeepTopicsScaled;
import io.sluice.broker.scaling.KeepTopicsScaled.Done;
import io.sluice.broker.scaling.ScaleTargets;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stock clients on an elastic topic that spreads over containers and comes together again by itself. */
@Timeout(120)
class ScaledByLoadTest {
    private static final int CONTAINERS = 4;
    private static final int PARTITIONS = 16;
    private static final int KEYS = 64;
    private static final int SOON = 30;
    /** The policy's time passes so many times as fast: its ten seconds above a limit are half a second. */
    private static final int HASTE = 20;

    private final long began = System.nanoTime();
    private final LongSupplier clock = () -> HASTE * TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    private final Map<Integer, Integer> sent = new HashMap<>();
    private final ConcurrentLinkedQueue<String> received = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Done> steps = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Exception> errors = new ConcurrentLinkedQueue<>();
    private volatile boolean ends;
    private GroupServer server;

    @BeforeEach
    void start() throws Exception {
        server = new GroupServer(TestBroker.startWith(CONTAINERS));
        try (Admin admin = Admin.create(settings(Map.of()))) {
            admin.createTopics(List.of(new NewTopic("t", PARTITIONS, (short) 1)
                            .configs(Map.of("sluice.elastic", "true", "sluice.scaling.events.per.second", "10"))))
                    .all()
                    .get(SOON, TimeUnit.SECONDS);
        }
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

    private long containers() {
        return Objects.requireNonNull(server.broker().catalogue().find(TopicName.ofDefault("t"))).partitions().stream()
                .map(Topic.Placement::container)
                .distinct()
                .count();
    }

    @Test
    void clientsLoseNothingAndEachKeyStaysInOrder() throws Exception {
        List<CompletableFuture<?>> loops = List.of(loop(this::read), loop(this::keepScaled));
        int total;
        try (var producer =
                new KafkaProducer<>(settings(Map.of("linger.ms", 0)), new StringSerializer(), new StringSerializer())) {
            sendUntil(producer, 0, () -> containers() == CONTAINERS);
            sendUntil(producer, TimeUnit.MILLISECONDS.toNanos(100), () -> containers() == 1);
            sendUntil(producer, 0, () -> containers() > 1);
            total = sent.values().stream().mapToInt(n -> n).sum();
            await(() -> received.size() >= total);
        } finally {
            ends = true;
        }
        for (CompletableFuture<?> loop : loops) {
            loop.get(SOON, TimeUnit.SECONDS);
        }
        assertThat(errors).isEmpty();
        assertInOrder(received);
        assertThat(received).hasSize(total);
        assertThat(steps).allMatch(Done::done);
        assertThat(steps.stream().filter(Done::split)).hasSizeGreaterThanOrEqualTo(CONTAINERS);
        assertThat(steps.stream().filter(step -> !step.split())).hasSizeGreaterThanOrEqualTo(CONTAINERS - 1);
    }

    private interface Work {
        void run() throws Exception;
    }

    private static CompletableFuture<?> loop(Work work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (Exception e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private void read() {
        try (var consumer = new KafkaConsumer<>(
                settings(Map.of("group.id", "g", "auto.offset.reset", "earliest")),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of("t"));
            while (!ends) {
                consumer.poll(Duration.ofMillis(50)).forEach(record -> received.add(record.value()));
            }
        }
    }

    private void keepScaled() throws InterruptedException {
        var broker = server.broker();
        var measure =
                new MeasureLoad(broker.catalogue(), broker.partitions(), broker.containers(), id -> Strain.NONE, clock);
        var scaling = new KeepTopicsScaled(
                new KeepTopicsScaled.Context(
                        broker.catalogue(), broker.scalableTopics(), broker.durability(), broker.containers(), clock),
                ScaleTargets.of(0, 0).after(5_000, 5_000));
        while (!ends) {
            steps.addAll(scaling.round(measure.sample()));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(25));
        }
    }

    /** Sends to one key after the other, with a pause before each, and until it has come to pass. */
    private void sendUntil(KafkaProducer<String, String> producer, long pauseNanos, BooleanSupplier passed)
            throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SOON);
        for (int key = 0; !passed.getAsBoolean(); key = (key + 1) % KEYS) {
            assertThat(System.nanoTime())
                    .as("in %d containers after %s", containers(), steps)
                    .isLessThan(deadline);
            LockSupport.parkNanos(pauseNanos);
            int number = sent.merge(key, 1, Integer::sum);
            var written = producer.send(new ProducerRecord<>("t", "k" + key, key + ":" + number), (place, error) -> {
                if (error != null) {
                    errors.add(error);
                }
            });
            if (key == 0) {
                written.get(SOON, TimeUnit.SECONDS);
            }
        }
        producer.flush();
    }

    private static void await(BooleanSupplier passed) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SOON);
        while (!passed.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private static void assertInOrder(Iterable<String> values) {
        Map<String, Integer> last = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        for (String value : values) {
            String key = value.substring(0, value.indexOf(':'));
            int number = Integer.parseInt(value.substring(value.indexOf(':') + 1));
            if (number != last.getOrDefault(key, 0) + 1) {
                wrong.add(value + " after " + last.get(key));
            }
            last.put(key, number);
        }
        assertThat(wrong).isEmpty();
    }
}
