package io.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.admin.LongRunningProcessStatus.Status;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.naming.TopicName;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.apache.pulsar.common.policies.data.PublisherStats;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.apache.pulsar.common.policies.data.TopicStats;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stats that are true, and topics that are deleted under their clients. With Pulsar's Java client and admin client. */
class PulsarAdminTest {
    @TempDir
    private static Path folder;

    private static SluiceServer server;
    private static PulsarClient client;
    private static PulsarAdmin admin;

    private final String topic = "persistent://public/default/admin-" + UUID.randomUUID();

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

    private Consumer<byte[]> subscribe(String name) throws PulsarClientException {
        return client.newConsumer()
                .topic(topic)
                .subscriptionName(name)
                .subscriptionType(SubscriptionType.Shared)
                .consumerName("c-" + name)
                .isAckReceiptEnabled(true)
                .subscribe();
    }

    private Producer<byte[]> producer() throws PulsarClientException {
        return producers().create();
    }

    private ProducerBuilder<byte[]> producers() {
        return client.newProducer().topic(topic).enableBatching(false);
    }

    private static Message<byte[]> next(Consumer<byte[]> consumer) throws PulsarClientException {
        Message<byte[]> message = consumer.receive(30, TimeUnit.SECONDS);
        assertThat(message).isNotNull();
        return message;
    }

    @Test
    void statsTellWhatHappened() throws Exception {
        try (Consumer<byte[]> consumer = subscribe("s")) {
            try (Producer<byte[]> producer = producer()) {
                for (int n = 0; n < 10; n++) {
                    producer.send(new byte[1_000]);
                }
                for (int n = 0; n < 4; n++) {
                    consumer.acknowledge(next(consumer));
                }
                for (int n = 4; n < 10; n++) {
                    next(consumer);
                }
                TopicStats stats = admin.topics().getStats(topic);
                assertThat(stats.getPublishers()).hasSize(1);
                assertThat(stats.getPublishers().getFirst().getProducerName()).isEqualTo(producer.getProducerName());
                assertThat(stats.getMsgRateIn()).isPositive();
                PublisherStats p = stats.getPublishers().getFirst();
                assertThat(p.getMsgRateIn()).isPositive();
                assertThat(p.getMsgThroughputIn()).isPositive();
                assertThat(p.getAverageMsgSize()).isBetween(1_000.0, 1_200.0);
                expectTraffic(stats);
                SubscriptionStats s = subscription(stats);
                assertThat(s.getType()).isEqualTo("Shared");
                assertThat(s.getMsgBacklog()).isEqualTo(6);
                assertThat(s.getUnackedMessages()).isEqualTo(6);
                assertThat(s.getConsumers()).hasSize(1);
                ConsumerStats c = s.getConsumers().getFirst();
                assertThat(c.getConsumerName()).isEqualTo("c-s");
                assertThat(c.getUnackedMessages()).isEqualTo(6);
                assertThat(c.getMsgOutCounter()).isEqualTo(10);
                assertThat(c.getAvailablePermits()).isPositive();
                assertThat(c.getMsgRateOut()).isPositive();
                assertThat(c.getMsgThroughputOut()).isPositive();
                assertThat(c.getMsgRateRedeliver()).isZero();
            }
        }
        TopicStats left = admin.topics().getStats(topic);
        expectTraffic(left);
        assertThat(left.getPublishers()).isEmpty();
        assertThat(subscription(left).getConsumers()).isEmpty();
        assertThat(subscription(left).getMsgBacklog()).isEqualTo(6);
        assertThat(left.getBacklogSize()).isBetween(6_000L, 10_000L);
    }

    @Test
    void statsTellOfRedelivery() throws Exception {
        try (Consumer<byte[]> consumer = subscribe("s");
                Producer<byte[]> producer = producer()) {
            producer.send(new byte[1_000]);
            next(consumer);
            consumer.redeliverUnacknowledgedMessages();
            assertThat(next(consumer).getRedeliveryCount()).isEqualTo(1);
            SubscriptionStats s = subscription(admin.topics().getStats(topic));
            assertThat(s.getMsgOutCounter()).isEqualTo(2);
            assertThat(s.getConsumers().getFirst().getMsgRateRedeliver()).isPositive();
        }
    }

    private static SubscriptionStats subscription(TopicStats stats) {
        return Objects.requireNonNull(stats.getSubscriptions().get("s"));
    }

    private static void expectTraffic(TopicStats stats) {
        assertThat(stats.getMsgInCounter()).isEqualTo(10);
        assertThat(stats.getBytesInCounter()).isBetween(10_000L, 12_000L);
        assertThat(stats.getMsgOutCounter()).isEqualTo(10);
        assertThat(stats.getBytesOutCounter()).isBetween(10_000L, 12_000L);
        assertThat(stats.getStorageSize()).isBetween(10_000L, 12_000L);
        assertThat(stats.getSubscriptions()).containsOnlyKeys("s");
        assertThat(subscription(stats).getMsgOutCounter()).isEqualTo(10);
    }

    @Test
    void refusesToDeleteATopicInUse() throws Exception {
        try (Producer<byte[]> producer = producer()) {
            producer.send(new byte[1]);
            expectInUse();
        }
        try (Consumer<byte[]> consumer = subscribe("s")) {
            assertThat(consumer.isConnected()).isTrue();
            expectInUse();
        }
        try (Reader<byte[]> reader = client.newReader()
                .topic(topic)
                .startMessageId(MessageId.earliest)
                .create()) {
            assertThat(reader.readNext(30, TimeUnit.SECONDS)).isNotNull();
            expectInUse();
        }
        admin.topics().delete(topic);
        assertThat(admin.topics().getList("public/default")).doesNotContain(topic);
    }

    private void expectInUse() {
        assertThatThrownBy(() -> admin.topics().delete(topic))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class)
                .hasMessageContaining("Topic has active producers/subscriptions");
    }

    /** With automatic creation the clients come back to a topic of the same name, which is new and empty. */
    @Test
    void clientsOutliveAForcedDeletion() throws Exception {
        try (Producer<byte[]> producer = producer();
                Consumer<byte[]> consumer = subscribe("s")) {
            producer.send(new byte[] {1});
            producer.send(new byte[] {2});
            assertThat(next(consumer).getValue()).isEqualTo(new byte[] {1});
            MessageId before = consumer.getLastMessageIds().getFirst();
            admin.topics().delete(topic, true);
            await().until(() -> producer.isConnected()
                    && consumer.isConnected()
                    && producer.getLastDisconnectedTimestamp() > 0
                    && consumer.getLastDisconnectedTimestamp() > 0);
            MessageId after = producer.send(new byte[] {3});
            assertThat(after).isGreaterThan(before);
            await().until(() -> {
                Message<byte[]> message = next(consumer);
                consumer.acknowledge(message);
                return message.getValue()[0] == 3;
            });
            TopicStats stats = admin.topics().getStats(topic);
            assertThat(stats.getMsgInCounter()).isEqualTo(1);
            assertThat(subscription(stats).getMsgBacklog()).isZero();
        }
    }

    @Test
    void deletesPartitionedTopics() throws Exception {
        admin.topics().createPartitionedTopic(topic, 3);
        try (Producer<byte[]> producer = producer();
                Consumer<byte[]> consumer = subscribe("s")) {
            for (int n = 0; n < 6; n++) {
                producer.send(new byte[1]);
                consumer.acknowledge(next(consumer));
            }
            var stats = admin.topics().getPartitionedStats(topic, true);
            assertThat(stats.getMsgInCounter()).isEqualTo(6);
            assertThat(subscription(stats).getMsgOutCounter()).isEqualTo(6);
            assertThat(stats.getPartitions().values()).allMatch(p -> p.getMsgInCounter() == 2);
            assertThatThrownBy(() -> admin.topics().deletePartitionedTopic(topic))
                    .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        }
        admin.topics().deletePartitionedTopic(topic);
        assertThat(admin.topics().getPartitionedTopicList("public/default")).doesNotContain(topic);
        assertThat(admin.topics().getList("public/default")).noneMatch(name -> name.startsWith(topic));
        assertThatThrownBy(() -> admin.topics().getPartitionedStats(topic, false))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    /** Partitions are not created one by one, so what used them fails; the name itself can be used again. */
    @Test
    void forcingAPartitionedTopicAwayEndsItsClients() throws Exception {
        admin.topics().createPartitionedTopic(topic, 2);
        try (Producer<byte[]> producer =
                        producers().sendTimeout(5, TimeUnit.SECONDS).create();
                Consumer<byte[]> consumer = subscribe("s")) {
            producer.send(new byte[1]);
            consumer.acknowledge(next(consumer));
            admin.topics().deletePartitionedTopic(topic, true);
            assertThatThrownBy(() -> producer.send(new byte[1])).isInstanceOf(PulsarClientException.class);
        }
        try (Producer<byte[]> again = producer()) {
            again.send(new byte[1]);
            assertThat(admin.topics().getStats(topic).getMsgInCounter()).isEqualTo(1);
        }
    }

    /** Nobody would read there what is written by who does not know that the topic is scalable. */
    @Test
    void noClientMakesATopicOfAScalableNameByUse() throws Exception {
        String local = TopicName.get(topic).getLocalName();
        String scalable = "/admin/v2/scalable/public/default/" + local;
        assertThat(server.ask("PUT", scalable + "?numInitialSegments=1", "").status())
                .isEqualTo(204);
        String why = "topic " + topic + " is scalable: use it as topic://public/default/" + local;
        assertThatThrownBy(this::producer)
                .isInstanceOf(PulsarClientException.TopicDoesNotExistException.class)
                .hasMessageContaining(why);
        assertThatThrownBy(() -> subscribe("s")).hasMessageContaining(why);
        assertThatThrownBy(() -> admin.topics().createSubscription(topic, "s", MessageId.earliest))
                .hasMessageContaining(why);
        try (var kafka = new KafkaProducer<>(
                Map.<String, Object>of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, server.kafka()),
                new StringSerializer(),
                new StringSerializer())) {
            assertThatThrownBy(() ->
                            kafka.send(new ProducerRecord<>(local, "value")).get())
                    .hasCauseInstanceOf(InvalidTopicException.class);
        }
        assertThat(admin.topics().getList("public/default")).doesNotContain(topic);

        admin.topics().createNonPartitionedTopic(topic);
        try (Producer<byte[]> onPurpose = producer()) {
            onPurpose.send(new byte[1]);
        }
    }

    /** In a cluster the node that is asked sends each on to the one that serves the partition. */
    @Test
    void consumersGetWhatIsPublishedOverHttp() throws Exception {
        int partitions = 4;
        admin.topics().createPartitionedTopic(topic, partitions);
        String path =
                "/topics/persistent/public/default/" + TopicName.get(topic).getLocalName();
        try (Consumer<byte[]> consumer = subscribe("s")) {
            Set<String> sent = new TreeSet<>();
            for (int p = 0; p < partitions; p++) {
                String value = "to " + p;
                SluiceServer.Answer answer = server.ask(
                        "POST", path + "/partitions/" + p, "{\"messages\": [{\"payload\": \"" + value + "\"}]}");
                assertThat(answer.status()).as(answer.body()).isEqualTo(200);
                assertThat(answer.body()).contains("\"errorCode\":0");
                sent.add(value);
            }
            Set<String> received = new TreeSet<>();
            for (int p = 0; p < partitions; p++) {
                received.add(new String(next(consumer).getData(), UTF_8));
            }
            assertThat(received).isEqualTo(sent);
        }
    }

    /** As much is written as is moved at once. */
    @Test
    void theOffloadStatusFollowsWhatIsMovedToTheTier() throws Exception {
        int messages = 64;
        MessageId tenth = MessageId.earliest;
        try (Producer<byte[]> producer =
                client.newProducer().topic(topic).enableBatching(false).create()) {
            assertThat(admin.topics().offloadStatus(topic).getStatus()).isEqualTo(Status.NOT_RUN);
            for (int n = 0; n < messages; n++) {
                MessageId sent = producer.send(new byte[512 << 10]);
                tenth = n == 10 ? sent : tenth;
            }
        }
        admin.topics().triggerOffload(topic, tenth);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> admin.topics().offloadStatus(topic).getStatus() == Status.SUCCESS);
        assertThat(admin.topics().offloadStatus(topic).getFirstUnoffloadedMessage())
                .isGreaterThanOrEqualTo(tenth);
    }
}
