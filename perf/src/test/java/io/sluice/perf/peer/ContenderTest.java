package io.sluice.perf.peer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.driver.Target;
import io.sluice.perf.driver.Targets;
import io.sluice.perf.workload.Sharing;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** With the real servers, which a build does not fetch: {@code -Dsluice.perf.contenders=kafka,pulsar}. */
@EnabledIfSystemProperty(named = ContenderTest.PROPERTY, matches = ".+")
class ContenderTest {
    static final String PROPERTY = "sluice.perf.contenders";
    /** 8 bytes, which is what a target gives back. */
    private static final String RECORD = "a record";

    @TempDir
    Path folder;

    static Stream<String> contenders() {
        return Arrays.stream(System.getProperty(PROPERTY, "").split(","));
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void startsTakesAndGivesBackARecord(String name) throws Exception {
        Contender contender = prepared(name);
        try (RunningServer server = contender.start(Files.createDirectory(folder.resolve("data")))) {
            for (String protocol : contender.protocols()) {
                assertThat(roundTrip(protocol, server.target(protocol))).isEqualTo(RECORD);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void listensAndLeavesNothingBehind(String name) throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        Contender contender = prepared(name);
        RunningServer server = contender.start(data);
        try (server) {
            assertThat(server.targets()).containsOnlyKeys(contender.protocols());
            assertThat(server.version()).isNotEmpty();
            for (String protocol : contender.protocols()) {
                assertThat(ServerChild.accepts(
                                URI.create(server.target(protocol)).getPort()))
                        .isTrue();
            }
        }
        assertThat(data).doesNotExist();
        assertThat(ProcessHandle.of(server.pid()).filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    private Contender prepared(String name) throws Exception {
        Contender contender = new Contenders(new ServerSetup(1024, folder), Checkout.find()).named(name);
        contender.prepare();
        return contender;
    }

    private static String roundTrip(String protocol, String target) throws Exception {
        return switch (protocol) {
            case "kafka" -> throughKafka(URI.create(target).getAuthority());
            case "pulsar" -> throughPulsar(target.substring(0, target.indexOf('?')));
            case "pravega" -> throughPravega(target);
            default -> throw new IllegalArgumentException("no client of " + protocol + " is at hand");
        };
    }

    private static String throughKafka(String bootstrap) throws Exception {
        var settings = Map.<String, Object>of(
                "bootstrap.servers", bootstrap, "group.id", "test", "auto.offset.reset", "earliest");
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
                var consumer =
                        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            producer.send(new ProducerRecord<>("test", RECORD.getBytes(UTF_8))).get();
            consumer.subscribe(List.of("test"));
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (System.nanoTime() < deadline) {
                for (var record : consumer.poll(Duration.ofSeconds(1))) {
                    return new String(record.value(), UTF_8);
                }
            }
            return "nothing";
        }
    }

    private static String throughPulsar(String url) throws Exception {
        try (var client = PulsarClient.builder().serviceUrl(url).build();
                Consumer<byte[]> consumer = client.newConsumer()
                        .topic("test-pulsar")
                        .subscriptionName("test")
                        .subscribe();
                Producer<byte[]> producer =
                        client.newProducer().topic("test-pulsar").create()) {
            producer.send(RECORD.getBytes(UTF_8));
            return new String(consumer.receive().getValue(), UTF_8);
        }
    }

    /** Its client is one of the targets, with libraries of its own. */
    private static String throughPravega(String url) throws Exception {
        var received = new CompletableFuture<Long>();
        try (Target target = new Targets(ContenderTest::clientJars).connect(url)) {
            target.createTopics(List.of("test"), 100);
            target.consume("test", "test", true, Sharing.PARTITIONS, received::complete);
            Target.Sender sender = target.producer("test");
            sender.send("key".getBytes(UTF_8), RECORD.getBytes(UTF_8), () -> {}, received::completeExceptionally);
            sender.flush();
            long value = received.get(30, TimeUnit.SECONDS);
            return new String(ByteBuffer.allocate(Long.BYTES).putLong(value).array(), UTF_8);
        }
    }

    private static List<Path> clientJars(String protocol) throws Exception {
        var artifacts = new Artifacts(protocol + "-client", Checkout.find());
        artifacts.fetch();
        return artifacts.jars();
    }
}
