package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.schema.GenericRecord;
import org.apache.pulsar.common.policies.data.ClusterData;
import org.apache.pulsar.common.policies.data.DispatchRate;
import org.apache.pulsar.common.policies.data.ReplicatorStats;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two clusters of one server each, which replicate to each other. */
@Timeout(90)
class GeoReplicationTest {
    private static final String NAMESPACE = "public/default";
    private static final String T = "persistent://public/default/t";
    private static final Duration SOON = Duration.ofSeconds(30);

    private final List<AutoCloseable> open = new ArrayList<>();
    private TestGateway near;
    private TestGateway far;
    private TestAdmin nearAdmin;
    private TestAdmin farAdmin;

    @BeforeEach
    void start() throws Exception {
        near = TestGateway.start(named("near"));
        far = TestGateway.start(named("far"));
        nearAdmin = new TestAdmin(near);
        farAdmin = new TestAdmin(far);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        nearAdmin.close();
        farAdmin.close();
        near.close();
        far.close();
    }

    static UnaryOperator<PulsarGatewayConfig> named(String cluster) {
        return c -> new PulsarGatewayConfig(
                c.host(),
                c.port(),
                c.advertisedHost(),
                c.advertisedPort(),
                c.listeners(),
                c.httpUrl(),
                cluster,
                c.instance(),
                c.topics(),
                c.deduplication(),
                c.compactionThreshold(),
                c.limits());
    }

    /** Has one replicate to the other. */
    static void replicate(PulsarAdmin admin, String own, String other, TestAdmin http, TestGateway to)
            throws Exception {
        admin.clusters()
                .createCluster(
                        other,
                        ClusterData.builder()
                                .serviceUrl(http.url())
                                .brokerServiceUrl("pulsar://127.0.0.1:" + to.port())
                                .build());
        Set<String> both = Set.of(own, other);
        admin.tenants()
                .updateTenant(
                        "public", TenantInfo.builder().allowedClusters(both).build());
        admin.namespaces().setNamespaceReplicationClusters(NAMESPACE, both, false);
    }

    private void replicateToFar() throws Exception {
        replicate(nearAdmin.client(), "near", "far", farAdmin, far);
    }

    private void replicateToNear() throws Exception {
        replicate(farAdmin.client(), "far", "near", nearAdmin, near);
    }

    private PulsarClient client(TestGateway of) throws Exception {
        PulsarClient client = of.client();
        open.add(client);
        return client;
    }

    private static Consumer<byte[]> subscribe(PulsarClient client, String topic) throws Exception {
        return client.newConsumer()
                .topic(topic)
                .subscriptionName("s")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    static List<String> receive(Consumer<byte[]> consumer, int count) throws Exception {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Message<byte[]> message = consumer.receive((int) SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(message).as("message %s of %s", i, count).isNotNull();
            all.add(new String(message.getData(), UTF_8));
            consumer.acknowledge(message);
        }
        return all;
    }

    static void expectNothing(Consumer<byte[]> consumer) throws Exception {
        Message<byte[]> message = consumer.receive(500, TimeUnit.MILLISECONDS);
        assertThat(message == null ? "nothing" : new String(message.getData(), UTF_8))
                .isEqualTo("nothing");
    }

    static List<String> values(String name, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> name + i).toList();
    }

    static void send(Producer<byte[]> producer, String name, int from, int to) throws Exception {
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int i = from; i < to; i++) {
            sent.add(producer.newMessage()
                    .key("k" + i % 3)
                    .value((name + i).getBytes(UTF_8))
                    .sendAsync());
        }
        producer.flush();
        for (CompletableFuture<?> each : sent) {
            each.get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private ReplicatorStats stats(TestAdmin admin, String topic, String cluster) throws Exception {
        @Nullable
        ReplicatorStats stats =
                admin.client().topics().getStats(topic).getReplication().get(cluster);
        if (stats == null) {
            throw new AssertionError("no replication of " + topic + " to " + cluster);
        }
        return stats;
    }

    /** The first message with this value is there. */
    static void awaitRead(PulsarClient client, String topic, String value) throws Exception {
        try (Reader<byte[]> reader = client.newReader()
                .topic(topic)
                .startMessageId(MessageId.earliest)
                .create()) {
            Message<byte[]> message;
            do {
                message = reader.readNext((int) SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(message).as(value).isNotNull();
            } while (!new String(message.getData(), UTF_8).equals(value));
        }
    }

    private void awaitBacklog(TestAdmin admin, String topic, String cluster, long expected) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(stats(admin, topic, cluster).getReplicationBacklog())
                        .isEqualTo(expected));
    }

    @Test
    void eachClusterHasTheMessagesOfBothOnceAndInOrder() throws Exception {
        replicateToFar();
        replicateToNear();
        PulsarClient here = client(near);
        PulsarClient there = client(far);
        Producer<byte[]> single = here.newProducer()
                .topic(T)
                .enableBatching(false)
                .compressionType(CompressionType.ZSTD)
                .create();
        Producer<byte[]> batching = here.newProducer().topic(T).create();
        Producer<byte[]> others = there.newProducer().topic(T).create();
        send(single, "single", 0, 20);
        send(others, "others", 0, 50);
        send(batching, "batching", 0, 100);
        for (PulsarClient each : List.of(here, there)) {
            Consumer<byte[]> consumer = subscribe(each, T);
            List<String> all = receive(consumer, 170);
            expectNothing(consumer);
            for (var expected : List.of(values("single", 0, 20), values("batching", 0, 100), values("others", 0, 50))) {
                assertThat(all).containsSubsequence(expected);
            }
        }
        awaitBacklog(nearAdmin, T, "far", 0);
        awaitBacklog(farAdmin, T, "near", 0);
        ReplicatorStats stats = stats(nearAdmin, T, "far");
        assertThat(stats.isConnected()).isTrue();
        assertThat(stats.getMsgRateOut()).isPositive();
        assertThat(stats.getOutboundConnection()).contains(":" + far.port());
        assertThat(stats.getInboundConnection()).isNotNull();
        assertThat(nearAdmin.client().topics().getSubscriptions(T)).containsExactly("s");
        assertThat(nearAdmin.client().topics().getStats(T).getSubscriptions()).containsOnlyKeys("s");
    }

    @Test
    void messagesKeepWhatTheirProducerHasSaidOfThem() throws Exception {
        replicateToFar();
        PulsarClient here = client(near);
        Producer<byte[]> producer =
                here.newProducer().topic(T).producerName("mine").create();
        producer.newMessage()
                .key("key")
                .orderingKey("order".getBytes(UTF_8))
                .property("a", "b")
                .eventTime(1234)
                .sequenceId(77)
                .value("x".getBytes(UTF_8))
                .send();
        Message<byte[]> before = subscribe(here, T).receive((int) SOON.toSeconds(), TimeUnit.SECONDS);
        Message<byte[]> message = subscribe(client(far), T).receive((int) SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(message.getData()).isEqualTo("x".getBytes(UTF_8));
        assertThat(message.getKey()).isEqualTo("key");
        assertThat(message.getOrderingKey()).isEqualTo("order".getBytes(UTF_8));
        assertThat(message.getProperties()).containsEntry("a", "b");
        assertThat(message.getEventTime()).isEqualTo(1234);
        assertThat(message.getSequenceId()).isEqualTo(77);
        assertThat(message.getProducerName()).isEqualTo("mine");
        assertThat(message.getPublishTime()).isEqualTo(before.getPublishTime());
        assertThat(message.getReplicatedFrom()).isEqualTo("near");
    }

    /** Of a class with a schema. */
    public static final class Order {
        public String name = "";
        public int count;
    }

    @Test
    void partitionedTopicsAndSchemasAreMadeThere() throws Exception {
        String topic = "persistent://public/default/orders";
        replicateToFar();
        nearAdmin.client().topics().createPartitionedTopic(topic, 3);
        PulsarClient here = client(near);
        Producer<Order> producer =
                here.newProducer(Schema.AVRO(Order.class)).topic(topic).create();
        for (int i = 0; i < 9; i++) {
            Order order = new Order();
            order.name = "n" + i;
            order.count = i;
            producer.newMessage().key("k" + i).value(order).send();
        }
        await().ignoreExceptions()
                .untilAsserted(
                        () -> assertThat(farAdmin.client().topics().getPartitionedTopicMetadata(topic).partitions)
                                .isEqualTo(3));
        Consumer<Order> consumer = client(far)
                .newConsumer(Schema.AVRO(Order.class))
                .topic(topic)
                .subscriptionName("s")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
        List<Integer> counts = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            counts.add(
                    consumer.receive((int) SOON.toSeconds(), TimeUnit.SECONDS).getValue().count);
        }
        assertThat(counts).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(farAdmin.client().schemas().getSchemaInfo(topic).getSchemaDefinition())
                .isEqualTo(nearAdmin.client().schemas().getSchemaInfo(topic).getSchemaDefinition());
    }

    @Test
    void messagesGoWhereTheirProducerSays() throws Exception {
        replicateToFar();
        Producer<byte[]> producer = client(near).newProducer().topic(T).create();
        producer.newMessage().value("here".getBytes(UTF_8)).disableReplication().send();
        producer.newMessage()
                .value("elsewhere".getBytes(UTF_8))
                .replicationClusters(List.of("near", "other"))
                .send();
        producer.newMessage()
                .value("there".getBytes(UTF_8))
                .replicationClusters(List.of("far"))
                .send();
        producer.newMessage().value("anywhere".getBytes(UTF_8)).send();
        Consumer<byte[]> consumer = subscribe(client(far), T);
        assertThat(receive(consumer, 2)).containsExactly("there", "anywhere");
        expectNothing(consumer);
        awaitBacklog(nearAdmin, T, "far", 0);
    }

    @Test
    void aClusterThatIsAwayGetsWhatItHasMissedWhenItIsBack() throws Exception {
        replicateToFar();
        Producer<byte[]> producer = client(near).newProducer().topic(T).create();
        send(producer, "m", 0, 20);
        awaitRead(client(far), T, "m19"); // a backlog of 0 may be that of a replicator that has not begun
        awaitBacklog(nearAdmin, T, "far", 0);

        far.gateway().close();
        send(producer, "m", 20, 3_000);
        awaitBacklog(nearAdmin, T, "far", 2_980);
        await().atMost(SOON).until(() -> !stats(nearAdmin, T, "far").isConnected());

        far.restart();
        awaitBacklog(nearAdmin, T, "far", 0);
        Consumer<byte[]> consumer = subscribe(client(far), T);
        assertThat(receive(consumer, 3_000)).isEqualTo(values("m", 0, 3_000));
        expectNothing(consumer);
    }

    @Test
    void aSenderThatRestartsLeavesNothingOutAndSendsNothingTwice() throws Exception {
        replicateToFar();
        Producer<byte[]> producer =
                client(near).newProducer().topic(T).enableBatching(false).create();
        for (int round = 0; round < 4; round++) {
            send(producer, "m", round * 500, round * 500 + 500);
            near.restart();
        }
        Consumer<byte[]> consumer = subscribe(client(far), T);
        assertThat(receive(consumer, 2_000)).isEqualTo(values("m", 0, 2_000));
        expectNothing(consumer);
    }

    @Test
    void aTopicThatLeavesAClusterIsNotHeldBackForIt() throws Exception {
        replicateToFar();
        Producer<byte[]> producer = client(near).newProducer().topic(T).create();
        send(producer, "m", 0, 5);
        awaitRead(client(far), T, "m4"); // as above
        awaitBacklog(nearAdmin, T, "far", 0);
        assertThat(cursors()).contains("pulsar.repl.far");

        assertThatThrownBy(() -> client(near)
                        .newConsumer()
                        .topic(T)
                        .subscriptionName("pulsar.repl.far")
                        .subscribe())
                .hasMessageContaining("reserved subscription name");
        nearAdmin.client().topics().setReplicationClusters(T, List.of("near"));
        await().atMost(SOON).untilAsserted(() -> assertThat(cursors()).doesNotContain("pulsar.repl.far"));
        send(producer, "left", 0, 5);
        nearAdmin.client().topics().removeReplicationClusters(T);
        send(producer, "m", 5, 10);
        Consumer<byte[]> consumer = subscribe(client(far), T);
        assertThat(receive(consumer, 10)).isEqualTo(values("m", 0, 10));
        expectNothing(consumer);
    }

    @Test
    void replicatorsGoWithTheirPartition() throws Exception {
        TopicName name = TopicName.ofDefault("t");
        near.broker().createTopic(name, 1, false);
        replicateToFar();
        Producer<byte[]> producer = client(near).newProducer().topic(T).create();
        for (int move = 0; move < 6; move++) {
            send(producer, "m", move * 50, move * 50 + 50);
            Topic topic = Objects.requireNonNull(near.broker().catalogue().find(name));
            int other = 1 - topic.partitions().getFirst().container();
            near.broker().catalogue().move(name, 0, other).join();
        }
        Consumer<byte[]> consumer = subscribe(client(far), T);
        assertThat(receive(consumer, 300)).isEqualTo(values("m", 0, 300));
        expectNothing(consumer);
        awaitBacklog(nearAdmin, T, "far", 0);
    }

    @Test
    void recordsOfKafkaClientsGoAsTheirPulsarReadersGetThem() throws Exception {
        near.broker().createTopic(TopicName.ofDefault("t"), 1, false);
        replicateToFar();
        PartitionLog log = near.broker().partition("t", 0);
        Answers answers = new Answers();
        SimpleRecord[] records = IntStream.range(0, 5)
                .mapToObj(i -> new SimpleRecord(1_000 + i, ("k" + i).getBytes(UTF_8), ("m" + i).getBytes(UTF_8)))
                .toArray(SimpleRecord[]::new);
        near.broker().onLoop(log, () -> {
            log.append(
                    Unpooled.copiedBuffer(
                            MemoryRecords.withRecords(Compression.lz4().build(), records)
                                    .buffer()),
                    answers);
            return true;
        });
        Message<byte[]> here = subscribe(client(near), T).receive((int) SOON.toSeconds(), TimeUnit.SECONDS);
        Consumer<byte[]> consumer = subscribe(client(far), T);
        Message<byte[]> first = consumer.receive((int) SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(first.getKey()).isEqualTo("k0").isEqualTo(here.getKey());
        assertThat(first.getEventTime()).isEqualTo(here.getEventTime());
        assertThat(first.getPublishTime()).isEqualTo(here.getPublishTime());
        assertThat(receive(consumer, 4)).isEqualTo(values("m", 1, 5));
        expectNothing(consumer);
    }

    /** In the wire format of Confluent's serializers, with a schema that the other cluster does not know yet. */
    @Test
    void recordsOfKafkasSerializersGoWithTheirSchema() throws Exception {
        near.broker().createTopic(TopicName.ofDefault("t"), 1, false);
        String schema = "{\"type\":\"record\",\"name\":\"Order\",\"fields\":[{\"name\":\"count\",\"type\":\"int\"}]}";
        var answer = nearAdmin.ask(
                "POST",
                "/subjects/t-value/versions",
                new JsonObject().put("schema", schema).encode());
        int id = new JsonObject(answer.body()).getInteger("id");
        replicateToFar();
        PartitionLog log = near.broker().partition("t", 0);
        Answers answers = new Answers();
        SimpleRecord seven = new SimpleRecord(1_000, null, new byte[] {0, 0, 0, 0, (byte) id, 14});
        near.broker().onLoop(log, () -> {
            log.append(
                    Unpooled.copiedBuffer(
                            MemoryRecords.withRecords(Compression.NONE, seven).buffer()),
                    answers);
            return true;
        });
        await().ignoreExceptions()
                .atMost(SOON)
                .untilAsserted(() -> assertThat(
                                farAdmin.client().schemas().getSchemaInfo(T).getSchemaDefinition())
                        .contains("count"));
        Message<GenericRecord> there = client(far)
                .newConsumer(Schema.AUTO_CONSUME())
                .topic(T)
                .subscriptionName("s")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe()
                .receive((int) SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(there.getValue().getField("count")).isEqualTo(7);
        assertThat(there.getProperty("kafka.schema")).isEqualTo("" + id);
    }

    private Set<String> cursors() throws Exception {
        return nearAdmin.client().topics().getInternalStats(T).cursors.keySet();
    }

    /** The topic's rate counts before the namespace's, and one that is set while messages wait is kept to from then on. */
    @Test
    void keepsToTheRateOfReplication() throws Exception {
        replicateToFar();
        nearAdmin.client().namespaces().setReplicatorDispatchRate(NAMESPACE, rate(1));
        nearAdmin.client().topics().createNonPartitionedTopic(T);
        nearAdmin.client().topicPolicies().setReplicatorDispatchRate(T, rate(5));
        assertThat(nearAdmin.client().topicPolicies().getReplicatorDispatchRate(T))
                .isEqualTo(rate(5));
        try (Producer<byte[]> producer =
                client(near).newProducer().topic(T).enableBatching(false).create()) {
            long from = System.nanoTime();
            send(producer, "m", 0, 300);
            Consumer<byte[]> there = subscribe(client(far), T);
            receive(there, 16);
            // five were there to begin with
            assertThat(Duration.ofNanos(System.nanoTime() - from)).isGreaterThan(Duration.ofMillis(1_900));
            nearAdmin.client().topicPolicies().removeReplicatorDispatchRate(T);
            nearAdmin.client().namespaces().removeReplicatorDispatchRate(NAMESPACE);
            receive(there, 284);
            // the rest would take most of a minute
            assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(50));
        }
    }

    private static DispatchRate rate(int messages) {
        return DispatchRate.builder()
                .dispatchThrottlingRateInMsg(messages)
                .dispatchThrottlingRateInByte(0)
                .ratePeriodInSecond(1)
                .build();
    }
}
