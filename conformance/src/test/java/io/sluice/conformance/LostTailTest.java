package io.sluice.conformance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Topics that do not wait for the disk lose what it had not synced, and say so; those that wait lose nothing. The loss of power is played
 * by killing the server and giving the journal back as it was when the disk was last synced.
 */
class LostTailTest {
    /** Longer than the test takes: nothing is forced but by those who wait. */
    private static final String SETTINGS = "store: {deferredSyncMillis: 60000}";

    private static final TopicPartition QUICK = new TopicPartition("quick", 0);
    private static final TopicPartition SAFE = new TopicPartition("safe", 0);
    private static final String OF_PULSAR = "persistent://public/default/quick-pulsar";
    private static final int KEPT = 10;
    private static final int LOST = 5;

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void whatALossOfPowerTakesIsTold() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"), SETTINGS, Map.of());
                PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
                admin.createTopics(List.of(
                                new NewTopic("quick", 1, (short) 1).configs(Map.of("sluice.durability", "2")),
                                new NewTopic("safe", 1, (short) 1)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
            }
            try (KafkaProducer<String, String> producer = producer(server);
                    KafkaConsumer<String, String> strict = consumer(server, "none");
                    KafkaConsumer<String, String> lenient = consumer(server, "latest")) {
                Producer<String> sender = pulsarTopic(server, client);
                Consumer<String> group = subscribe(client, "group");
                Consumer<String> late = subscribe(client, "late");
                Reader<String> stays = pulsarReader(client, MessageId.earliest);
                send(producer, QUICK, 0, KEPT);
                sendPulsar(sender, 0, KEPT);
                assertThat(acknowledged(group, KEPT)).hasSize(KEPT);
                assertThat(received(late, KEPT)).hasSize(KEPT);
                assertThat(read(stays, KEPT)).hasSize(KEPT);
                MessageId lastKept = lastMessage(client);
                // a log that waits shares the journal: with this record all before it is on the disk
                send(producer, SAFE, 0, 1);
                copy(journal(server), folder.resolve("synced"));
                send(producer, QUICK, KEPT, LOST);
                sendPulsar(sender, KEPT, LOST);
                assertThat(lastMessage(client)).isGreaterThan(lastKept);
                assertThat(acknowledged(group, LOST)).hasSize(LOST);
                List<MessageId> lost = received(late, LOST);
                assertThat(read(stays, LOST)).hasSize(LOST);
                assertThat(read(strict, KEPT + LOST)).hasSize(KEPT + LOST);
                assertThat(read(lenient, KEPT + LOST)).hasSize(KEPT + LOST);
                int epoch = epoch(server);

                server.kill();
                delete(journal(server));
                copy(folder.resolve("synced"), journal(server));
                server.start();

                assertThat(epoch(server)).isGreaterThan(epoch);
                LogTruncationException told = catchThrowableOfType(LogTruncationException.class, () -> read(strict, 1));
                assertThat(requireNonNull(told.divergentOffsets().get(QUICK)).offset())
                        .isEqualTo(KEPT);
                assertThat(lastMessage(client)).isEqualTo(lastKept);
                await().atMost(Duration.ofSeconds(60)).until(() -> group.isConnected() && late.isConnected());
                tellsHowMuch(server);

                // all go on at what is left
                send(producer, QUICK, 100, 3);
                send(producer, SAFE, 1, 1);
                sendPulsar(sender, 100, 3);
                assertThat(values(lenient, 3)).containsExactly("100", "101", "102");
                assertThat(allOf(server, QUICK, KEPT + 3)).containsExactlyElementsOf(keptAndNew());
                assertThat(allOf(server, SAFE, 2)).containsExactly("0", "1");
                assertThat(acknowledged(group, 3)).containsExactly("100", "101", "102");
                assertThat(lastMessage(client)).isGreaterThan(lost.getLast());
                assertThat(read(stays, 3)).containsExactly("100", "101", "102");
                acknowledgesNothing(late, lost);
                try (Reader<String> anew = pulsarReader(client, MessageId.earliest)) {
                    assertThat(read(anew, KEPT + 3)).containsExactlyElementsOf(keptAndNew());
                }
            }
        }
    }

    private static List<String> keptAndNew() {
        return IntStream.concat(IntStream.range(0, KEPT), IntStream.range(100, 103))
                .mapToObj(String::valueOf)
                .toList();
    }

    // ---- the disk

    private static Path journal(SluiceServer server) {
        return server.folder().resolve("bookie/journal/current");
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private static void delete(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    // ---- what is told

    private void tellsHowMuch(SluiceServer server) throws Exception {
        await().untilAsserted(() -> assertThat(server.output())
                .containsPattern("Topic persistent://public/default/quick has lost \\d+ bytes that container \\d+ had")
                .containsPattern("Topic persistent://public/default/quick-pulsar has lost \\d+ bytes"));
        assertThat(server.output()).doesNotContain("/safe has lost");
        Matcher lost = Pattern.compile("has lost (\\d+) bytes").matcher(server.output());
        long all = 0;
        while (lost.find()) {
            all += Long.parseLong(lost.group(1));
        }
        assertThat(get(server, "/metrics")).contains("sluice_lost_bytes_total " + (double) all);
        assertThat(all).isGreaterThan(2 * LOST * 61);
    }

    private int epoch(SluiceServer server) throws Exception {
        Matcher epoch =
                Pattern.compile("\"leaderEpoch\":(\\d+)").matcher(get(server, "/sluice/topics/describe?topic=quick"));
        assertThat(epoch.find()).isTrue();
        return Integer.parseInt(epoch.group(1));
    }

    private String get(SluiceServer server, String path) throws Exception {
        return http.send(
                        HttpRequest.newBuilder(URI.create(server.http() + path)).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    // ---- Kafka

    private static KafkaProducer<String, String> producer(SluiceServer server) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", server.kafka(), "enable.idempotence", "true"),
                new StringSerializer(),
                new StringSerializer());
    }

    private static KafkaConsumer<String, String> consumer(SluiceServer server, String reset) {
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", server.kafka(), "auto.offset.reset", reset, "metadata.max.age.ms", "1000"),
                new StringDeserializer(),
                new StringDeserializer());
        consumer.assign(List.of(QUICK));
        consumer.seek(QUICK, 0);
        return consumer;
    }

    private static void send(KafkaProducer<String, String> producer, TopicPartition to, int first, int count)
            throws Exception {
        for (int n = first; n < first + count; n++) {
            producer.send(new ProducerRecord<>(to.topic(), 0, null, String.valueOf(n)))
                    .get(60, TimeUnit.SECONDS);
        }
    }

    private static List<ConsumerRecord<String, String>> read(KafkaConsumer<String, String> consumer, int count) {
        List<ConsumerRecord<String, String>> read = new ArrayList<>();
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            consumer.poll(Duration.ofMillis(100)).forEach(read::add);
            return read.size() >= count;
        });
        return read;
    }

    private static List<String> values(KafkaConsumer<String, String> consumer, int count) {
        return read(consumer, count).stream().map(ConsumerRecord::value).toList();
    }

    private static List<String> allOf(SluiceServer server, TopicPartition partition, int count) {
        try (KafkaConsumer<String, String> consumer = consumer(server, "earliest")) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, 0);
            return values(consumer, count);
        }
    }

    // ---- Pulsar

    private Producer<String> pulsarTopic(SluiceServer server, PulsarClient client) throws Exception {
        Producer<String> first = client.newProducer(Schema.STRING)
                .topic(OF_PULSAR)
                .enableBatching(false)
                .create();
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create(
                                server.http() + "/admin/v2/persistent/public/default/quick-pulsar/durability"))
                        .POST(HttpRequest.BodyPublishers.ofString("2"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
        return first;
    }

    private static void sendPulsar(Producer<String> producer, int first, int count) throws Exception {
        for (int n = first; n < first + count; n++) {
            producer.send(String.valueOf(n));
        }
    }

    private static MessageId lastMessage(PulsarClient client) throws Exception {
        try (Reader<String> reader = pulsarReader(client, MessageId.latest)) {
            return reader.getLastMessageIds().getFirst();
        }
    }

    private static Reader<String> pulsarReader(PulsarClient client, MessageId from) throws Exception {
        return client.newReader(Schema.STRING)
                .topic(OF_PULSAR)
                .startMessageId(from)
                .create();
    }

    private static Consumer<String> subscribe(PulsarClient client, String subscription) throws Exception {
        return client.newConsumer(Schema.STRING)
                .topic(OF_PULSAR)
                .subscriptionName(subscription)
                .isAckReceiptEnabled(true)
                .subscribe();
    }

    private static List<MessageId> received(Consumer<String> consumer, int count) throws Exception {
        List<MessageId> received = new ArrayList<>();
        while (received.size() < count) {
            received.add(requireNonNull(consumer.receive(30, TimeUnit.SECONDS)).getMessageId());
        }
        return received;
    }

    /** Acknowledging what is lost takes none of the messages that are now at its offsets. */
    private static void acknowledgesNothing(Consumer<String> consumer, List<MessageId> lost) throws Exception {
        for (MessageId id : lost) {
            consumer.acknowledge(id);
        }
        consumer.redeliverUnacknowledgedMessages();
        assertThat(acknowledged(consumer, KEPT + 3)).containsExactlyElementsOf(keptAndNew());
    }

    private static List<String> read(Reader<String> reader, int count) throws Exception {
        List<String> read = new ArrayList<>();
        while (read.size() < count) {
            Message<String> next = reader.readNext(30, TimeUnit.SECONDS);
            read.add(next == null ? "nothing" : next.getValue());
        }
        return read;
    }

    private static List<String> acknowledged(Consumer<String> consumer, int count) throws Exception {
        List<String> read = new ArrayList<>();
        while (read.size() < count) {
            Message<String> next = consumer.receive(30, TimeUnit.SECONDS);
            read.add(next == null ? "nothing" : next.getValue());
            if (next != null) {
                consumer.acknowledge(next);
            }
        }
        return read;
    }
}
