package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.schema.GenericRecord;
import org.apache.pulsar.client.api.schema.RecordSchemaBuilder;
import org.apache.pulsar.client.api.schema.SchemaBuilder;
import org.apache.pulsar.common.schema.SchemaType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Pulsar's Java, Python and Go clients: compressions, 1 B to 5 MB, 16 partitions, the four subscription types, seek, admin. */
class PulsarClientsTest {
    private static final int PARTITIONS = 16;

    @TempDir
    private static Path folder;

    private static SluiceServer server;
    private static PulsarClient client;
    private static PulsarAdmin admin;

    @BeforeAll
    static void start() throws Exception {
        server = SluiceServer.start(folder.resolve("data"));
        client = PulsarClients.builder(server.pulsar()).build();
        admin = PulsarAdmin.builder().serviceHttpUrl(server.http()).build();
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
        admin.close();
        server.close();
    }

    @Test
    void pythonClient() throws Exception {
        ClientProgram.python("pulsar_round_trip.py", server.pulsar(), server.http());
    }

    @Test
    void clientsOfAllVersionsHaveTheFeaturesOfThePage() throws Exception {
        ClientMatrix.check(server.pulsar());
    }

    @Test
    void shadowTopicsAreReadByPythonAndGo() throws Exception {
        ClientProgram.python("shadow.py", server.pulsar(), server.http());
        ClientProgram.go("shadow", server.pulsar(), server.http());
    }

    @Test
    void pythonOverWebSocket() throws Exception {
        ClientProgram.python("web_socket.py", server.pulsar(), server.http());
    }

    @Test
    void goOverWebSocket() throws Exception {
        ClientProgram.go("websocket", server.pulsar(), server.http());
    }

    /** Of both protocols: the server is here, and Kafka's tests take longer. */
    @ParameterizedTest
    @MethodSource("io.sluice.conformance.QuickStart#all")
    void programsOfTheQuickStart(QuickStart program) throws Exception {
        program.run(server);
    }

    @Test
    void theReadmeHasThePythonProgramsOfTheQuickStart() throws Exception {
        String page = Files.readString(Path.of("../docs/quick-start/python.md"));
        assertThat(Files.readString(Path.of("../README.md")))
                .contains(QuickStart.block(page, "## Kafka protocol"))
                .contains(QuickStart.block(page, "## Pulsar protocol"))
                .contains(QuickStart.block(page, "## Both protocols"));
    }

    @Test
    void goClientHearsWhoIsActive() throws Exception {
        ClientProgram.go("failover", server.pulsar());
    }

    @Test
    void goClientGetsWhatIsDeliveredInEachWay() throws Exception {
        ClientProgram.go("delivery", server.pulsar(), server.http());
    }

    @Test
    void goClientReadsWhatIsCompacted() throws Exception {
        ClientProgram.go("compacted", server.pulsar(), server.http());
    }

    @Test
    void goAdminClientNamesWhatUrlsEncode() throws Exception {
        ClientProgram.go("admin", server.http());
    }

    @Test
    void goClientMissesNothingOfATopicThatGrows() throws Exception {
        ClientProgram.go("growing", server.pulsar(), server.http());
    }

    /** Batches and single messages, each compression, a key of text or of bytes: all that was sent, byte for byte and in order. */
    @Test
    void aKafkaConsumerReadsWhatPulsarProducersSent() throws Exception {
        String topic = "for-kafka-" + UUID.randomUUID();
        List<byte[]> sent = new ArrayList<>();
        for (CompressionType compression : CompressionType.values()) {
            for (boolean batches : new boolean[] {false, true}) {
                try (Producer<byte[]> producer = client.newProducer()
                        .topic(topic)
                        .compressionType(compression)
                        .enableBatching(batches)
                        .batchingMaxPublishDelay(1, TimeUnit.SECONDS)
                        .create()) {
                    List<CompletableFuture<MessageId>> receipts = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                        byte[] value = new byte[1 + i * 100];
                        new Random(sent.size()).nextBytes(value);
                        sent.add(value);
                        receipts.add(producer.newMessage()
                                .keyBytes(new byte[] {(byte) 0xff, (byte) i})
                                .property("n", "" + i)
                                .eventTime(1000 + i)
                                .value(value)
                                .sendAsync());
                    }
                    producer.flush();
                    for (CompletableFuture<MessageId> receipt : receipts) {
                        receipt.get(60, TimeUnit.SECONDS);
                    }
                }
            }
        }
        TopicPartition partition = new TopicPartition(topic, 0);
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", server.kafka(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            await().until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return records.size() >= sent.size();
            });
        }
        assertThat(records).hasSameSizeAs(sent);
        for (int n = 0; n < sent.size(); n++) {
            ConsumerRecord<byte[], byte[]> record = records.get(n);
            assertThat(record.offset()).isEqualTo(n);
            assertThat(record.value()).as("record %d", n).isEqualTo(sent.get(n));
            assertThat(record.key()).isEqualTo(new byte[] {(byte) 0xff, (byte) (n % 20)});
            assertThat(record.timestamp()).isEqualTo(1000 + n % 20);
            assertThat(new String(record.headers().lastHeader("n").value(), StandardCharsets.UTF_8))
                    .isEqualTo("" + n % 20);
        }
    }

    @Test
    void aSubscriptionHasWhatIsSentToPartitionsThatAKafkaClientAdded() throws Exception {
        String topic = "grown-by-kafka-" + UUID.randomUUID();
        admin.topics().createPartitionedTopic(topic, 1);
        try (Consumer<String> _ = shared(topic);
                Admin kafka = new KafkaSide(server.kafka()).admin()) {
            KafkaSide.get(kafka.createPartitions(Map.of(topic, NewPartitions.increaseTo(3)))
                    .all());
            try (Producer<String> producer =
                    client.newProducer(Schema.STRING).topic(topic).create()) {
                for (int n = 0; n < 12; n++) {
                    producer.send("m" + n);
                }
            }
        }
        Set<String> seen = new HashSet<>();
        try (Consumer<String> back = shared(topic)) {
            while (seen.size() < 12) {
                Message<String> message = back.receive(30, TimeUnit.SECONDS);
                assertThat(message).as("%d of 12 arrived", seen.size()).isNotNull();
                seen.add(message.getValue());
                back.acknowledge(message);
            }
        }
    }

    @Test
    void goClientInTransactions() throws Exception {
        ClientProgram.go("transactions", server.pulsar(), server.http());
    }

    @Test
    void goClientFailsAtOnceWhatIsRefusedForGood() throws Exception {
        ClientProgram.go("refused", server.pulsar(), server.http());
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void everyCompressionAndSizeOverSixteenPartitions(CompressionType compression) throws Exception {
        String topic = "persistent://public/default/java-" + UUID.randomUUID();
        admin.topics().createPartitionedTopic(topic, PARTITIONS);
        Map<String, byte[]> sent = new HashMap<>();
        var random = new Random(7);
        try (Consumer<byte[]> consumer = client.newConsumer()
                        .topic(topic)
                        .subscriptionName("s")
                        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                        .subscribe();
                Producer<byte[]> producer = client.newProducer()
                        .topic(topic)
                        .compressionType(compression)
                        .enableChunking(true)
                        .enableBatching(false)
                        .blockIfQueueFull(true)
                        .create()) {
            List<CompletableFuture<MessageId>> receipts = new ArrayList<>();
            for (int size : new int[] {1, 100, 10_000, 1_000_000, 5_000_000}) {
                for (int n = 0; n < (size > 10_000 ? 2 : 100); n++) {
                    byte[] value = new byte[size];
                    random.nextBytes(value);
                    String key = size + "-" + n;
                    sent.put(key, value);
                    receipts.add(producer.newMessage()
                            .key(key)
                            .value(value)
                            .property("n", Integer.toString(n))
                            .property("größe", "ü")
                            .eventTime(n + 1)
                            .sendAsync());
                }
            }
            CompletableFuture.allOf(receipts.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            Set<String> seen = new HashSet<>();
            while (seen.size() < sent.size()) {
                Message<byte[]> message = consumer.receive(30, TimeUnit.SECONDS);
                assertThat(message)
                        .as("%d of %d arrived", seen.size(), sent.size())
                        .isNotNull();
                assertThat(seen.add(message.getKey())).isTrue();
                assertThat(Arrays.equals(message.getValue(), sent.get(message.getKey())))
                        .isTrue();
                assertThat(message.getProperties())
                        .containsEntry("größe", "ü")
                        .containsEntry("n", message.getKey().split("-")[1]);
                assertThat(message.getEventTime()).isPositive();
                consumer.acknowledge(message);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void everySubscriptionTypeDeliversEachMessageOnce(SubscriptionType type) throws Exception {
        String topic = "subscriptions-" + UUID.randomUUID();
        int members = type == SubscriptionType.Exclusive ? 1 : 3;
        Map<String, Set<Integer>> consumersOfKey = new ConcurrentHashMap<>();
        Set<String> seen = ConcurrentHashMap.newKeySet();
        Set<String> doubled = ConcurrentHashMap.newKeySet();
        List<Consumer<String>> consumers = new ArrayList<>();
        for (int member = 0; member < members; member++) {
            int number = member;
            consumers.add(client.newConsumer(Schema.STRING)
                    .topic(topic)
                    .subscriptionName("s")
                    .subscriptionType(type)
                    .messageListener((consumer, message) -> {
                        if (!seen.add(message.getValue())) {
                            doubled.add(message.getValue());
                        }
                        consumersOfKey
                                .computeIfAbsent(message.getKey(), key -> ConcurrentHashMap.newKeySet())
                                .add(number);
                        consumer.acknowledgeAsync(message);
                    })
                    .subscribe());
        }
        try (Producer<String> producer = client.newProducer(Schema.STRING)
                .topic(topic)
                .batcherBuilder(org.apache.pulsar.client.api.BatcherBuilder.KEY_BASED)
                .create()) {
            for (int n = 0; n < 1_000; n++) {
                producer.newMessage().key("key-" + n % 50).value("value-" + n).sendAsync();
            }
            producer.flush();
        }
        await().until(() -> seen.size() == 1_000);
        assertThat(doubled).isEmpty();
        Set<Integer> users = new HashSet<>();
        consumersOfKey.values().forEach(users::addAll);
        switch (type) {
            case Exclusive, Failover -> assertThat(users).hasSize(1);
            case Shared -> assertThat(users).hasSize(3);
            case Key_Shared -> {
                assertThat(users).hasSize(3);
                assertThat(consumersOfKey.values())
                        .allSatisfy(of -> assertThat(of).hasSize(1));
            }
        }
        for (Consumer<String> consumer : consumers) {
            consumer.close();
        }
    }

    @Test
    void unacknowledgedMessagesComeAgainAndAcknowledgedOnesDoNot() throws Exception {
        String topic = "redelivery-" + UUID.randomUUID();
        try (Producer<String> producer =
                client.newProducer(Schema.STRING).topic(topic).create()) {
            try (Consumer<String> first = shared(topic)) {
                for (int n = 0; n < 10; n++) {
                    producer.sendAsync("m" + n);
                }
                producer.flush();
                for (int n = 0; n < 10; n++) {
                    Message<String> message = first.receive(30, TimeUnit.SECONDS);
                    if (n % 2 == 0) {
                        first.acknowledge(message);
                    }
                }
            }
            try (Consumer<String> second = shared(topic)) {
                List<Message<String>> again = new ArrayList<>();
                for (int n = 0; n < 5; n++) {
                    again.add(second.receive(30, TimeUnit.SECONDS));
                }
                assertThat(again).extracting(Message::getValue).containsExactly("m1", "m3", "m5", "m7", "m9");
                // not before all are here: what is given back takes the rest of its batch with it
                again.forEach(second::negativeAcknowledge);
                for (int n = 0; n < 5; n++) {
                    Message<String> message = second.receive(30, TimeUnit.SECONDS);
                    assertThat(message.getRedeliveryCount()).isPositive();
                    second.acknowledge(message);
                }
                assertThat(second.receive(500, TimeUnit.MILLISECONDS)).isNull();
            }
        }
    }

    private static Consumer<String> shared(String topic) throws PulsarClientException {
        return client.newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName("s")
                .subscriptionType(SubscriptionType.Shared)
                .enableBatchIndexAcknowledgment(true)
                .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS)
                .subscribe();
    }

    @Test
    void readersSeekByIdAndByTime() throws Exception {
        String topic = "reader-" + UUID.randomUUID();
        List<MessageId> ids = new ArrayList<>();
        long middle = 0;
        try (Producer<byte[]> producer =
                client.newProducer().topic(topic).enableBatching(false).create()) {
            for (int n = 0; n < 20; n++) {
                if (n == 10) {
                    long last = System.currentTimeMillis();
                    await().until(() -> System.currentTimeMillis() > last + 5);
                    middle = System.currentTimeMillis();
                }
                ids.add(producer.send(Integer.toString(n).getBytes(StandardCharsets.UTF_8)));
            }
        }
        assertThat(ids).isSorted();
        try (Reader<byte[]> reader = client.newReader()
                .topic(topic)
                .startMessageId(MessageId.earliest)
                .create()) {
            assertThat(next(reader)).isEqualTo("0");
            reader.seek(ids.get(15));
            assertThat(next(reader)).isEqualTo("16");
            reader.seek(middle);
            assertThat(next(reader)).isEqualTo("10");
            for (int n = 11; n < 20; n++) {
                assertThat(reader.hasMessageAvailable()).isTrue();
                assertThat(next(reader)).isEqualTo(Integer.toString(n));
            }
            assertThat(reader.hasMessageAvailable()).isFalse();
        }
    }

    private static String next(Reader<byte[]> reader) throws PulsarClientException {
        return new String(reader.readNext(30, TimeUnit.SECONDS).getValue(), StandardCharsets.UTF_8);
    }

    @Test
    void oneExclusiveProducerAtATime() throws Exception {
        String topic = "exclusive-" + UUID.randomUUID();
        try (Producer<byte[]> first = client.newProducer()
                .topic(topic)
                .accessMode(ProducerAccessMode.Exclusive)
                .create()) {
            assertThat(first.isConnected()).isTrue();
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> client.newProducer()
                            .topic(topic)
                            .accessMode(ProducerAccessMode.Exclusive)
                            .create())
                    .isInstanceOf(PulsarClientException.ProducerFencedException.class);
        }
    }

    private static Schema<GenericRecord> person(String more, boolean optional) {
        RecordSchemaBuilder person = SchemaBuilder.record("person");
        person.field("name").type(SchemaType.STRING);
        if (!more.isEmpty()) {
            var field = person.field(more).type(SchemaType.INT32);
            if (optional) {
                field.optional().defaultValue(null);
            }
        }
        return Schema.generic(person.build(SchemaType.AVRO));
    }

    @Test
    void schemasMayChangeAsLongAsBothSidesReadEachOther() throws Exception {
        String topic = "persistent://public/default/schema-" + UUID.randomUUID();
        client.newProducer(person("", false)).topic(topic).create().close();
        client.newProducer(person("age", true)).topic(topic).create().close();
        assertThat(admin.schemas().getAllSchemas(topic)).hasSize(2);
        assertThat(admin.schemas().getSchemaInfo(topic, 0).getSchemaDefinition())
                .doesNotContain("age");
        assertThat(admin.schemas().getSchemaInfo(topic, 1).getSchemaDefinition())
                .contains("age");
        org.assertj.core.api.Assertions.assertThatThrownBy(() ->
                        client.newProducer(person("number", false)).topic(topic).create())
                .isInstanceOf(PulsarClientException.IncompatibleSchemaException.class);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> client.newConsumer(person("number", false))
                        .topic(topic)
                        .subscriptionName("s")
                        .subscribe())
                .isInstanceOf(PulsarClientException.IncompatibleSchemaException.class);
    }

    @Test
    void adminCreatesListsAndDeletesTopics() throws Exception {
        String one = "persistent://public/default/admin-" + UUID.randomUUID();
        String many = one + "-many";
        admin.topics().createNonPartitionedTopic(one);
        admin.topics().createPartitionedTopic(many, 3);
        assertThat(admin.topics().getList("public/default"))
                .contains(one, many + "-partition-0", many + "-partition-2");
        assertThat(admin.topics().getPartitionedTopicList("public/default"))
                .contains(many)
                .doesNotContain(one);
        assertThat(admin.topics().getPartitionedTopicMetadata(many).partitions).isEqualTo(3);
        assertThat(server.nodes().stream()
                        .map(node -> "pulsar://127.0.0.1:" + node.ports().pulsar()))
                .contains(admin.lookups().lookupTopic(one));
        try (Producer<byte[]> producer = client.newProducer().topic(one).create();
                Consumer<byte[]> consumer =
                        client.newConsumer().topic(one).subscriptionName("s").subscribe()) {
            producer.send(new byte[10]);
            consumer.acknowledge(consumer.receive(30, TimeUnit.SECONDS));
            var stats = admin.topics().getStats(one);
            assertThat(stats.getPublishers()).hasSize(1);
            assertThat(stats.getSubscriptions()).containsOnlyKeys("s");
        }
        admin.topics().delete(one, true);
        admin.topics().deletePartitionedTopic(many);
        assertThat(admin.topics().getList("public/default")).doesNotContain(one, many + "-partition-0");
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> admin.topics().getStats(one))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }
}
