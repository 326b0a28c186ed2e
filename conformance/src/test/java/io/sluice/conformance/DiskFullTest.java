package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fills up and gets space again, while the server runs. Needs the right to mount. */
class DiskFullTest {
    private static final String TOPIC = "disk-full";
    private static final int BEFORE = 20;
    private static final long LEFT = 150L << 20;
    /** The bookie takes no writes any more. */
    private static final long LEFT_TO_NOBODY = 20L << 20;

    @TempDir
    private Path folder;

    @Test
    void writesAreTurnedAwayReadsGoOnAndAllIsWellWithSpace() throws Exception {
        Path disk = Files.createDirectories(folder.resolve("disk"));
        assumeThat(command("mount", "-t", "tmpfs", "-o", "size=900m", "tmpfs", disk.toString()))
                .as("a file system can be mounted; else this test is skipped")
                .isZero();
        try (SluiceServer server = SluiceServer.start(disk.resolve("data"), "store: {containers: 1}", Map.of())) {
            fill(server, disk);
        } finally {
            command("umount", "-l", disk.toString());
        }
    }

    private void fill(SluiceServer server, Path disk) throws Exception {
        try (var producer = producer(server);
                PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Producer<String> pulsar = client.newProducer(Schema.STRING)
                        .topic(TOPIC + "-pulsar")
                        .sendTimeout(60, TimeUnit.SECONDS)
                        .create()) {
            for (int n = 0; n < BEFORE; n++) {
                producer.send(new ProducerRecord<>(TOPIC, "v" + n)).get(30, TimeUnit.SECONDS);
                pulsar.send("v" + n);
            }
            Path ballast = disk.resolve("ballast");
            takeAllBut(disk, ballast, LEFT);
            await().until(() -> server.output().contains("appends are turned away"));
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>(TOPIC, "refused"))
                            .get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(RetriableException.class);
            assertThat(kafkaRecords(server)).isEqualTo(BEFORE);
            assertThat(pulsarRecords(client)).isEqualTo(BEFORE);
            // reads go on, which a server that is not ready would get no more of
            assertThat(server.get("/ready")).isEqualTo("200 ready");
            Files.delete(ballast);
            producer.send(new ProducerRecord<>(TOPIC, "again")).get(30, TimeUnit.SECONDS);
            assertThat(kafkaRecords(server)).isGreaterThan(BEFORE);
            pulsar.send("again");
            assertThat(pulsarRecords(client)).isEqualTo(BEFORE + 1);
            takeAllBut(disk, ballast, LEFT_TO_NOBODY);
            await().untilAsserted(() -> assertThat(server.get("/ready"))
                    .isEqualTo("503 not ready: the bookie takes no writes, its disk is full"));
            Files.delete(ballast);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> server.get("/ready").equals("200 ready"));
        }
    }

    private static void takeAllBut(Path disk, Path ballast, long left) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(1 << 20);
        try (FileChannel out = FileChannel.open(ballast, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (Files.getFileStore(disk).getUsableSpace() > left) {
                out.write(block.clear());
            }
        }
    }

    private static KafkaProducer<String, String> producer(SluiceServer server) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", server.kafka(),
                        "request.timeout.ms", "13000",
                        "delivery.timeout.ms", "15000",
                        "linger.ms", "0"),
                new StringSerializer(),
                new StringSerializer());
    }

    private static int kafkaRecords(SluiceServer server) {
        TopicPartition partition = new TopicPartition(TOPIC, 0);
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", server.kafka()),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            int records = 0;
            while (consumer.position(partition) < end) {
                records += consumer.poll(Duration.ofSeconds(1)).count();
            }
            return records;
        }
    }

    private static int pulsarRecords(PulsarClient client) throws IOException {
        int records = 0;
        try (Reader<String> reader = client.newReader(Schema.STRING)
                .topic(TOPIC + "-pulsar")
                .startMessageId(MessageId.earliest)
                .create()) {
            while (reader.hasMessageAvailable()) {
                reader.readNext();
                records++;
            }
        }
        return records;
    }

    private static int command(String... words) throws Exception {
        return new ProcessBuilder(words).redirectErrorStream(true).start().waitFor();
    }
}
