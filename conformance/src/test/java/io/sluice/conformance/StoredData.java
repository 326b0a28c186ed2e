package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.schema.GenericRecord;

/**
 * Records, messages, subscriptions, groups, schemas and policies: what a server of 25 November 2026 stored, the first whose folder was
 * kept.
 */
final class StoredData implements StoredPart {
    static final String SETTINGS = "topics: {retentionMillis: -1, compactionCheckMillis: 500}\n"
            + "store: {containers: 2, ledgerBytes: 1048576, walLimitBytes: 4194304}\n";

    private static final String KAFKA = "stored-kafka";
    private static final String LARGE = "stored-large";
    private static final String GROUP = "stored-group";
    private static final String PULSAR = "persistent://public/default/stored-pulsar";
    private static final String PARTITIONED = "persistent://public/default/stored-partitioned";
    private static final String ORDERS = "persistent://public/default/stored-orders";
    private static final String NAMESPACE_POLICY = "namespaces/public/default/persistence";
    private static final String PERSISTENCE =
            "{\"bookkeeperEnsemble\":3,\"bookkeeperWriteQuorum\":2,\"bookkeeperAckQuorum\":2,\"managedLedgerMaxMarkDeleteRate\":0}";
    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");
    private static final int PARTITIONS = 3;
    private static final int OF_A_CODEC = 20;
    private static final int DELETED_BELOW = 5;
    private static final int MESSAGES = 60;
    private static final int RECEIVED = 30;
    private static final int LARGE_RECORDS = 400;
    private static final String LARGE_VALUE = "0123456789abcdef".repeat(512);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final SluiceServer server;
    private final KafkaSide kafka;

    StoredData(SluiceServer server) {
        this.server = server;
        this.kafka = new KafkaSide(server.kafka());
    }

    /** A record with a schema. */
    static final class Order {
        public String item = "";
        public int pieces;
    }

    // ---- written once

    @Override
    public void write() throws Exception {
        writeKafka();
        writeGroup(3);
        writePulsar();
    }

    @Override
    public void writeBehindCheckpoints() throws Exception {
        writeLarge();
        writeGroup(7);
    }

    private void writeKafka() throws Exception {
        try (Admin admin = kafka.admin()) {
            var topic = new NewTopic(KAFKA, PARTITIONS, (short) 1).configs(Map.of("max.message.bytes", "2000000"));
            admin.createTopics(List.of(topic)).all().get();
            for (String codec : CODECS) {
                Map<String, Object> settings = Map.of("compression.type", codec, "linger.ms", 5);
                try (KafkaProducer<String, String> producer = kafka.producer(settings)) {
                    for (int i = 0; i < OF_A_CODEC; i++) {
                        producer.send(new ProducerRecord<>(KAFKA, i % PARTITIONS, "key-" + i, codec + "-" + i));
                    }
                }
            }
            admin.deleteRecords(Map.of(new TopicPartition(KAFKA, 2), RecordsToDelete.beforeOffset(DELETED_BELOW)))
                    .all()
                    .get();
        }
    }

    private void writeGroup(long offset) throws Exception {
        try (KafkaConsumer<String, String> consumer = kafka.consumer(Map.of("group.id", GROUP))) {
            Map<TopicPartition, OffsetAndMetadata> offsets =
                    new TreeMap<>(java.util.Comparator.comparing(TopicPartition::partition));
            IntStream.range(0, PARTITIONS)
                    .forEach(p -> offsets.put(
                            new TopicPartition(KAFKA, p), new OffsetAndMetadata(offset + p, "at " + offset)));
            consumer.commitSync(offsets);
        }
    }

    /** Enough for the log to go on in other ledgers, and for objects in long-term storage. */
    private void writeLarge() throws Exception {
        kafka.create(LARGE, 1);
        try (KafkaProducer<String, String> producer = kafka.producer(Map.of("linger.ms", 5))) {
            for (int i = 0; i < LARGE_RECORDS; i++) {
                producer.send(new ProducerRecord<>(LARGE, i + LARGE_VALUE));
            }
        }
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> server.metric("sluice_tier_written_bytes_total") > (1 << 20));
    }

    private void writePulsar() throws Exception {
        send("POST", NAMESPACE_POLICY, PERSISTENCE);
        send("PUT", "persistent/public/default/stored-partitioned/partitions", "2");
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
            consumer(client, "shared", SubscriptionType.Shared).close();
            consumer(client, "cumulative", SubscriptionType.Exclusive).close();
            try (Producer<String> producer = client.newProducer(Schema.STRING)
                    .topic(PULSAR)
                    .producerName("stored-producer")
                    .create()) {
                for (int i = 0; i < MESSAGES; i++) {
                    producer.newMessage()
                            .key("key-" + i % 5)
                            .property("n", "" + i)
                            .sequenceId(i)
                            .value("message " + i)
                            .sendAsync();
                }
                producer.flush();
            }
            acknowledge(client);
            try (Producer<Order> producer =
                    client.newProducer(Schema.AVRO(Order.class)).topic(ORDERS).create()) {
                Order order = new Order();
                order.item = "bolt";
                order.pieces = 12;
                producer.send(order);
            }
            try (Producer<String> producer =
                    client.newProducer(Schema.STRING).topic(PARTITIONED).create()) {
                for (int i = 0; i < 10; i++) {
                    producer.newMessage().key("key-" + i).value("part " + i).send();
                }
            }
        }
    }

    /** Every second one of the first thirty, and in the other subscription the first eleven at once. */
    private static void acknowledge(PulsarClient client) throws Exception {
        try (Consumer<String> shared = consumer(client, "shared", SubscriptionType.Shared);
                Consumer<String> exclusive = consumer(client, "cumulative", SubscriptionType.Exclusive)) {
            for (int i = 0; i < RECEIVED; i++) {
                Message<String> message = receive(shared);
                if (number(message) % 2 == 0 && number(message) < RECEIVED) {
                    shared.acknowledge(message);
                }
            }
            for (int i = 0; i < 11; i++) {
                Message<String> message = receive(exclusive);
                if (i == 10) {
                    exclusive.acknowledgeCumulative(message);
                }
            }
        }
    }

    private static Consumer<String> consumer(PulsarClient client, String subscription, SubscriptionType type)
            throws Exception {
        return client.newConsumer(Schema.STRING)
                .topic(PULSAR)
                .subscriptionName(subscription)
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .enableBatchIndexAcknowledgment(true)
                .isAckReceiptEnabled(true)
                .subscribe();
    }

    private static Message<String> receive(Consumer<String> consumer) throws Exception {
        Message<String> message = consumer.receive((int) PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(message).as("a message within " + PATIENCE).isNotNull();
        return message;
    }

    private static int number(Message<?> message) {
        return Integer.parseInt(message.getProperty("n"));
    }

    private String send(String method, String path, String body) throws Exception {
        try (HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.http() + "/admin/v2/" + path))
                    .header("Content-Type", "application/json")
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .build();
            var answer = client.send(request, BodyHandlers.ofString());
            assertThat(answer.statusCode()).isBetween(200, 299);
            return answer.body();
        }
    }

    // ---- looked for ever after

    @Override
    public void check() throws Exception {
        checkKafka();
        checkLarge();
        checkGroup();
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
            checkMessages(client);
            checkSequence(client);
            checkSubscriptions(client);
            checkOrders(client);
            checkPartitioned(client);
        }
        assertThat(send("GET", NAMESPACE_POLICY, "")).contains("\"bookkeeperWriteQuorum\":2");
    }

    private void checkKafka() throws Exception {
        for (int p = 0; p < PARTITIONS; p++) {
            int partition = p;
            List<String> expected = CODECS.stream()
                    .flatMap(codec -> IntStream.range(0, OF_A_CODEC)
                            .filter(i -> i % PARTITIONS == partition)
                            .mapToObj(i -> "key-" + i + " " + codec + "-" + i))
                    .toList();
            int first = p == 2 ? DELETED_BELOW : 0;
            List<ConsumerRecord<String, String>> got = read(new TopicPartition(KAFKA, p), expected.size() - first);
            assertThat(got.getFirst().offset()).isEqualTo(first);
            assertThat(got.stream().map(r -> r.key() + " " + r.value()))
                    .containsExactlyElementsOf(expected.subList(first, expected.size()));
        }
        try (Admin admin = kafka.admin()) {
            ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, KAFKA);
            assertThat(admin.describeConfigs(List.of(topic)).all().get().values())
                    .allSatisfy(config -> assertThat(config.entries())
                            .anySatisfy(entry -> assertThat(entry.name() + " " + entry.value())
                                    .isEqualTo("max.message.bytes 2000000")));
        }
    }

    private void checkLarge() {
        List<ConsumerRecord<String, String>> got = read(new TopicPartition(LARGE, 0), LARGE_RECORDS);
        for (int i = 0; i < LARGE_RECORDS; i++) {
            assertThat(got.get(i).value()).isEqualTo(i + LARGE_VALUE);
        }
    }

    private List<ConsumerRecord<String, String>> read(TopicPartition partition, int records) {
        List<ConsumerRecord<String, String>> got = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = kafka.consumer(Map.of("auto.offset.reset", "earliest"))) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (got.size() < records && System.nanoTime() < deadline) {
                consumer.poll(Duration.ofMillis(500)).forEach(got::add);
            }
        }
        assertThat(got).as("records of " + partition).hasSize(records);
        return got;
    }

    private void checkGroup() {
        try (KafkaConsumer<String, String> consumer = kafka.consumer(Map.of("group.id", GROUP))) {
            for (int p = 0; p < PARTITIONS; p++) {
                TopicPartition partition = new TopicPartition(KAFKA, p);
                assertThat(consumer.committed(Set.of(partition)).get(partition))
                        .isEqualTo(new OffsetAndMetadata(7L + p, "at 7"));
            }
        }
    }

    private static void checkMessages(PulsarClient client) throws Exception {
        try (Reader<String> reader = client.newReader(Schema.STRING)
                .topic(PULSAR)
                .startMessageId(MessageId.earliest)
                .create()) {
            for (int i = 0; i < MESSAGES; i++) {
                Message<String> message = reader.readNext((int) PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(message.getValue()).isEqualTo("message " + i);
                assertThat(message.getKey()).isEqualTo("key-" + i % 5);
            }
        }
    }

    private static void checkSequence(PulsarClient client) throws Exception {
        try (Producer<String> producer = client.newProducer(Schema.STRING)
                .topic(PULSAR)
                .producerName("stored-producer")
                .create()) {
            assertThat(producer.getLastSequenceId()).isEqualTo(MESSAGES - 1);
        }
    }

    private static void checkSubscriptions(PulsarClient client) throws Exception {
        try (Consumer<String> shared = consumer(client, "shared", SubscriptionType.Shared);
                Consumer<String> exclusive = consumer(client, "cumulative", SubscriptionType.Exclusive)) {
            List<Integer> left = new ArrayList<>();
            for (int i = 0; i < MESSAGES - RECEIVED / 2; i++) {
                left.add(number(receive(shared)));
            }
            assertThat(left)
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, MESSAGES)
                            .filter(i -> i >= RECEIVED || i % 2 == 1)
                            .boxed()
                            .toList());
            assertThat(number(receive(exclusive))).isEqualTo(11);
        }
    }

    private static void checkOrders(PulsarClient client) throws Exception {
        try (Reader<GenericRecord> reader = client.newReader(Schema.AUTO_CONSUME())
                .topic(ORDERS)
                .startMessageId(MessageId.earliest)
                .create()) {
            GenericRecord order = reader.readNext((int) PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .getValue();
            assertThat(order.getField("item")).isEqualTo("bolt");
            assertThat(order.getField("pieces")).isEqualTo(12);
        }
    }

    private static void checkPartitioned(PulsarClient client) throws Exception {
        assertThat(client.getPartitionsForTopic(PARTITIONED).get()).hasSize(2);
        try (Reader<String> reader = client.newReader(Schema.STRING)
                .topic(PARTITIONED)
                .startMessageId(MessageId.earliest)
                .create()) {
            List<String> got = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                got.add(reader.readNext((int) PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .getValue());
            }
            assertThat(got)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 10).mapToObj(i -> "part " + i).toList());
        }
    }
}
