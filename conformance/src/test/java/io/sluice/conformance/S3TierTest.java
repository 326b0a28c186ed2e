package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.tiering.objectstore.s3.Minio;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tier on a real S3 server, which is away for a while; and every way to name it wrongly. */
class S3TierTest {
    private static final TopicPartition KAFKA = new TopicPartition("s3-kafka", 0);
    private static final String PULSAR = "s3-pulsar";
    private static final int RECORD_BYTES = 64 << 10;
    /** Over each protocol; both together are more than the cache, which is a quarter of the memory. */
    private static final int HISTORY = 1280;

    private static final long CACHE_BYTES = 128L << 20;

    /** Over each protocol, while S3 is away: twice what makes a partition be stored in an object of its own. */
    private static final int MEANWHILE = 256;

    /** A partition with less may stay in the log. */
    private static final long MAY_WAIT = 2 * (8L << 20);

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private Minio minio;

    @BeforeEach
    void startTier() throws Exception {
        minio = Minio.start(folder.resolve("minio"));
    }

    @AfterEach
    void stopTier() {
        if (minio != null) {
            minio.close();
        }
    }

    @Test
    void historyComesFromS3AndNothingIsLostWhileItIsAway() throws Exception {
        try (SluiceServer server = SluiceServer.start(
                folder.resolve("data"), tier(minio.endpoint(), Map.of()), Map.of("SLUICE_MEMORY", "512m"))) {
            produce(server, 0, HISTORY);
            awaitTiered(server);
            server.stop();
            server.start();
            readBack(server, HISTORY);
            assertThat(sum(server, "sluice_tier_read_bytes_total"))
                    .isGreaterThan(2L * HISTORY * RECORD_BYTES - CACHE_BYTES);

            minio.kill();
            produce(server, HISTORY, HISTORY + MEANWHILE);
            await().atMost(PATIENCE).until(() -> failures(server) > 0);
            assertThat(sum(server, "sluice_container_untiered_bytes")).isGreaterThan(MAY_WAIT);
            minio.start();
            awaitTiered(server);
            server.kill();
            server.start();
            readBack(server, HISTORY + MEANWHILE);
            assertKeepsTheSecret(server);
        }
    }

    @Test
    void wrongSettingsAreOneLineAndChangeNothing() throws Exception {
        refused(Map.of("bucket", "absent"), "tier.s3.bucket: there is no bucket 'absent'");
        refused(Map.of("accessKeyId", "somebody"), "tier.s3.accessKeyId");
        refused(Map.of("secretAccessKey", "not-this-one"), "tier.s3.secretAccessKey");
        refused(Map.of("endpoint", "http://127.0.0.1:1"), "tier.s3.endpoint: cannot use http://127.0.0.1:1");
        refused(Map.of("bucket", "''"), "tier.s3.bucket is empty");
    }

    private void refused(Map<String, String> wrong, String line) throws Exception {
        Path config = Files.writeString(folder.resolve("wrong.yaml"), tier(minio.endpoint(), wrong));
        Path data = folder.resolve("never");
        Ended ended = Ended.sluice(folder, "standalone", "--data", data.toString(), "--config", config.toString());
        ended.assertOneLine(line);
        assertThat(ended.output()).doesNotContain(Minio.SECRET_KEY, "not-this-one");
        assertThat(data.resolve("metadata")).doesNotExist();
        assertThat(data.resolve("bookie")).doesNotExist();
    }

    private static String tier(String endpoint, Map<String, String> instead) {
        var settings = new java.util.TreeMap<>(Map.of(
                "endpoint",
                endpoint,
                "bucket",
                Minio.BUCKET,
                "prefix",
                "conformance",
                "pathStyle",
                "true",
                "accessKeyId",
                Minio.ACCESS_KEY,
                "secretAccessKey",
                Minio.SECRET_KEY));
        settings.putAll(instead);
        var yaml = new StringBuilder("tier:\n  kind: s3\n  s3:\n");
        settings.forEach((key, value) -> yaml.append("    " + key + ": " + value + "\n"));
        return yaml.toString();
    }

    private static void produce(SluiceServer server, int from, int to) throws Exception {
        List<Future<?>> sent = new ArrayList<>();
        try (var kafka = new KafkaSide(server.kafka()).producer(Map.of());
                PulsarClient client =
                        PulsarClient.builder().serviceUrl(server.pulsar()).build();
                Producer<String> pulsar = client.newProducer(Schema.STRING)
                        .topic(PULSAR)
                        .blockIfQueueFull(true)
                        .create()) {
            for (int n = from; n < to; n++) {
                sent.add(kafka.send(new ProducerRecord<>(KAFKA.topic(), KAFKA.partition(), null, value(n))));
                CompletableFuture<MessageId> message = pulsar.sendAsync(value(n));
                sent.add(message);
            }
            for (Future<?> each : sent) {
                each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    private static String value(int n) {
        return n + KafkaSide.filler(RECORD_BYTES);
    }

    private static void readBack(SluiceServer server, int count) throws Exception {
        List<String> expected =
                IntStream.range(0, count).mapToObj(Integer::toString).toList();
        assertThat(readKafka(server, count)).isEqualTo(expected);
        assertThat(readPulsar(server, count)).isEqualTo(expected);
    }

    private static List<String> readKafka(SluiceServer server, int count) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaSide(server.kafka()).consumer(Map.of())) {
            consumer.assign(List.of(KAFKA));
            consumer.seekToBeginning(List.of(KAFKA));
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (values.size() < count && System.nanoTime() < deadline) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(number(record.value())));
            }
        }
        return values;
    }

    private static List<String> readPulsar(SluiceServer server, int count) throws Exception {
        List<String> values = new ArrayList<>();
        try (PulsarClient client =
                        PulsarClient.builder().serviceUrl(server.pulsar()).build();
                Reader<String> reader = client.newReader(Schema.STRING)
                        .topic(PULSAR)
                        .startMessageId(MessageId.earliest)
                        .create()) {
            while (values.size() < count) {
                Message<String> message = reader.readNext((int) PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(message).as("after %d", values.size()).isNotNull();
                values.add(number(message.getValue()));
            }
        }
        return values;
    }

    private static String number(String value) {
        assertThat(value.length()).isGreaterThan(RECORD_BYTES);
        return value.substring(0, value.length() - RECORD_BYTES);
    }

    private static void awaitTiered(SluiceServer server) {
        await().atMost(PATIENCE)
                .until(() -> sum(server, "sluice_container_untiered_bytes") < MAY_WAIT
                        && sum(server, "sluice_tier_written_bytes_total") > 0);
    }

    private static double failures(SluiceServer server) throws Exception {
        return sum(server, "sluice_tier_failures_total{call=\"put\"}");
    }

    /** Of all lines that begin so. */
    private static double sum(SluiceServer server, String metric) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.http() + "/metrics"))
                    .build();
            return client.send(request, BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(metric))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        }
    }

    private static void assertKeepsTheSecret(SluiceServer server) throws Exception {
        assertThat(server.output()).doesNotContain(Minio.SECRET_KEY);
        try (Stream<Path> logs = Files.list(server.folder().resolve("logs"))) {
            for (Path log : logs.toList()) {
                assertThat(Files.readString(log)).doesNotContain(Minio.SECRET_KEY);
            }
        }
    }
}
