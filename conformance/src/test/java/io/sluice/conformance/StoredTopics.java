package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.pulsar.client.admin.LongRunningProcessStatus.Status;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;

/** Topics that are compacted, elastic, of a level of durability of their own, moved to other containers, or scalable and split. */
final class StoredTopics implements StoredPart {
    private static final String COMPACTED = "stored-compacted";
    private static final String ELASTIC = "stored-elastic";
    private static final String NOT_SYNCED = "stored-not-synced";
    private static final String MOVED = "stored-moved";
    private static final String VIEW = "persistent://public/default/stored-view";
    private static final int CONTAINERS = 2;
    private static final int KEYS = 10;
    private static final int OF_A_KEY = 20;
    /** Has a tombstone for its newest record. */
    private static final String DELETED = "key-0";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final SluiceServer server;
    private final KafkaSide kafka;

    StoredTopics(SluiceServer server) {
        this.server = server;
        this.kafka = new KafkaSide(server.kafka());
    }

    @Override
    public void write() throws Exception {
        create(COMPACTED, 1, Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0.01"));
        create(ELASTIC, 64, Map.of("sluice.elastic", "true"));
        create(NOT_SYNCED, 1, Map.of("sluice.durability", "2"));
        create(MOVED, 1, Map.of());
        for (String topic : List.of(COMPACTED, ELASTIC, NOT_SYNCED, MOVED)) {
            send(topic, 0, OF_A_KEY);
        }
        try (KafkaProducer<String, String> producer = kafka.producer(Map.of())) {
            producer.send(new ProducerRecord<>(COMPACTED, DELETED, null)).get();
        }
        move(MOVED, 0);
        for (int slot = 0; slot < 8; slot++) {
            move(ELASTIC, slot);
        }
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                PulsarAdmin admin =
                        PulsarAdmin.builder().serviceHttpUrl(server.http()).build()) {
            sendToView(client, 0, OF_A_KEY);
            admin.topics().triggerCompaction(VIEW);
            await().atMost(PATIENCE).until(() -> admin.topics().compactionStatus(VIEW).status == Status.SUCCESS);
        }
        await("records are compacted")
                .atMost(PATIENCE)
                .until(() ->
                        read(COMPACTED).values().stream().mapToInt(List::size).sum() < KEYS * OF_A_KEY);
        ClientProgram.pulsar5(StoredScalableTopic.class, "create", server.pulsar(), server.http());
    }

    @Override
    public void writeBehindCheckpoints() throws Exception {
        for (String topic : List.of(COMPACTED, ELASTIC, NOT_SYNCED, MOVED)) {
            send(topic, OF_A_KEY, OF_A_KEY + 1, topic.equals(COMPACTED) ? 1 : 0);
        }
        move(MOVED, 0);
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
            sendToView(client, OF_A_KEY, OF_A_KEY + 1);
        }
        ClientProgram.pulsar5(StoredScalableTopic.class, "split", server.pulsar(), server.http());
    }

    private void create(String topic, int partitions, Map<String, String> configs) throws Exception {
        try (Admin admin = kafka.admin()) {
            KafkaSide.get(admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(configs)))
                    .all());
        }
    }

    private void send(String topic, int from, int to) {
        send(topic, from, to, 0);
    }

    private void send(String topic, int from, int to, int firstKey) {
        try (KafkaProducer<String, String> producer = kafka.producer(Map.of())) {
            for (int n = from; n < to; n++) {
                for (int key = firstKey; key < KEYS; key++) {
                    producer.send(new ProducerRecord<>(topic, "key-" + key, "value " + n));
                }
                producer.flush();
            }
        }
    }

    /** It comes to the containers one after the other, so it leaves the one where it was. */
    private void move(String topic, int partition) throws IOException, InterruptedException {
        int moved = 0;
        for (int container = 0; container < CONTAINERS; container++) {
            String page = "/sluice/topics/move?topic=%s&partition=%d&container=%d";
            moved += server.ask("POST", page.formatted(topic, partition, container), "")
                                    .status()
                            == 200
                    ? 1
                    : 0;
        }
        assertThat(moved).as("moves of %s-%d", topic, partition).isPositive();
    }

    private static void sendToView(PulsarClient client, int from, int to) throws Exception {
        try (Producer<String> producer =
                client.newProducer(Schema.STRING).topic(VIEW).create()) {
            for (int n = from; n < to; n++) {
                for (int key = 0; key < KEYS; key++) {
                    producer.newMessage().key("key-" + key).value("value " + n).send();
                }
            }
        }
    }

    @Override
    public void check() throws Exception {
        checkCompacted();
        for (String topic : List.of(ELASTIC, NOT_SYNCED, MOVED)) {
            assertThat(read(topic)).as(topic).isEqualTo(all());
        }
        try (Admin admin = kafka.admin()) {
            checkConfig(admin, ELASTIC, "sluice.elastic", "true");
            checkConfig(admin, NOT_SYNCED, "sluice.durability", "2");
        }
        assertThat(server.get("/sluice/topics/describe?topic=" + NOT_SYNCED)).contains("\"level\":2", "\"astray\":0");
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
            assertThat(readView(client, false)).isEqualTo(all());
            // What came behind the compaction is read from the log.
            assertThat(readView(client, true).values())
                    .allSatisfy(values ->
                            assertThat(values).containsExactly("value " + (OF_A_KEY - 1), "value " + OF_A_KEY));
        }
        ClientProgram.pulsar5(StoredScalableTopic.class, "check", server.pulsar(), server.http());
    }

    private static Map<String, List<String>> all() {
        Map<String, List<String>> all = new TreeMap<>();
        for (int n = 0; n <= OF_A_KEY; n++) {
            for (int key = 0; key < KEYS; key++) {
                all.computeIfAbsent("key-" + key, _ -> new ArrayList<>()).add("value " + n);
            }
        }
        return all;
    }

    /** By its key, what {@code topic} has. */
    private Map<String, List<String>> read(String topic) {
        Map<String, List<String>> read = new TreeMap<>();
        new KafkaCommittedReader(
                        server.kafka(),
                        topic,
                        (key, value) -> read.computeIfAbsent(key, _ -> new ArrayList<>())
                                .add(value))
                .readToTheEnd();
        return read;
    }

    /** Compacted again meanwhile, perhaps, and the tombstone gone. */
    private void checkCompacted() {
        Map<String, String> newest = new HashMap<>();
        read(COMPACTED).forEach((key, values) -> {
            assertThat(values).hasSizeLessThan(OF_A_KEY).doesNotHaveDuplicates();
            if (values.getLast() != null) {
                newest.put(key, values.getLast());
            }
        });
        Map<String, String> expected = new HashMap<>();
        for (int key = 1; key < KEYS; key++) {
            expected.put("key-" + key, "value " + OF_A_KEY);
        }
        assertThat(newest).isEqualTo(expected).doesNotContainKey(DELETED);
    }

    private static void checkConfig(Admin admin, String topic, String name, String value) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var configs =
                KafkaSide.get(admin.describeConfigs(List.of(resource)).values().get(resource));
        assertThat(configs.get(name).value()).as("%s of %s", name, topic).isEqualTo(value);
    }

    private static Map<String, List<String>> readView(PulsarClient client, boolean compacted) throws Exception {
        Map<String, List<String>> read = new TreeMap<>();
        try (Reader<String> reader = client.newReader(Schema.STRING)
                .topic(VIEW)
                .readCompacted(compacted)
                .startMessageId(MessageId.earliest)
                .create()) {
            while (reader.hasMessageAvailable()) {
                Message<String> message =
                        Objects.requireNonNull(reader.readNext((int) PATIENCE.toSeconds(), TimeUnit.SECONDS));
                read.computeIfAbsent(message.getKey(), _ -> new ArrayList<>()).add(message.getValue());
            }
        }
        return read;
    }
}
