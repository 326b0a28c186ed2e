package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException.NotFoundException;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.client.admin.Topics;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.common.policies.data.SubscriptionStats;

/** Kafka's groups as Pulsar's admin client sees and changes them, of both kinds that {@code KafkaConsumer} makes. */
final class GroupsInPulsarsAdmin {
    private static final int PARTITIONS = 2;
    private static final int RECORDS = 40;
    private static final int SECONDS = 30;

    private final SluiceServer server;
    private final Topics topics;
    private final String protocol;
    private final String topic;
    private final String group;
    private final String subscription;

    private GroupsInPulsarsAdmin(SluiceServer server, Topics topics, String protocol) {
        this.server = server;
        this.topics = topics;
        this.protocol = protocol;
        this.topic = "seen-" + protocol;
        this.group = "billing-" + protocol;
        this.subscription = "_group." + group;
    }

    static void check(SluiceServer server) throws Exception {
        try (PulsarAdmin admin =
                        PulsarAdmin.builder().serviceHttpUrl(server.http()).build();
                Admin kafka = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
            for (String protocol : List.of("classic", "consumer")) {
                new GroupsInPulsarsAdmin(server, admin.topics(), protocol).check(kafka);
            }
        }
    }

    private void check(Admin kafka) throws Exception {
        kafka.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                .all()
                .get(SECONDS, TimeUnit.SECONDS);
        write();
        assertThat(topics.getSubscriptions(topic)).isEmpty();
        try (KafkaConsumer<Integer, Integer> consumer = consumer()) {
            assertThat(read(consumer, RECORDS)).hasSize(RECORDS);
            seenBeforeItCommits();
            consumer.commitSync();
            seenWhileConnected();
        }
        await().untilAsserted(() -> assertThat(stats().getType()).isEqualTo("None"));
        moved();
        try (KafkaConsumer<Integer, Integer> consumer = consumer()) {
            assertThat(read(consumer, 3)).containsExactlyInAnyOrder(34, 36, 38);
        }
        await().untilAsserted(() -> assertThat(stats().getType()).isEqualTo("None"));
        topics.deleteSubscription(topic, subscription);
        assertThat(topics.getSubscriptions(topic)).isEmpty();
        assertThat(kafka.listConsumerGroupOffsets(group)
                        .partitionsToOffsetAndMetadata()
                        .get(SECONDS, TimeUnit.SECONDS))
                .isEmpty();
        assertThatThrownBy(() -> topics.deleteSubscription(topic, subscription)).isInstanceOf(NotFoundException.class);
        namesAreKept();
    }

    private void write() {
        try (KafkaProducer<Integer, Integer> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", server.kafka()), new IntegerSerializer(), new IntegerSerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(topic, i % PARTITIONS, i, i));
            }
        }
    }

    private KafkaConsumer<Integer, Integer> consumer() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                server.kafka(),
                "group.id",
                group,
                "group.protocol",
                protocol,
                "client.id",
                "reader",
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                false);
        KafkaConsumer<Integer, Integer> consumer =
                new KafkaConsumer<>(settings, new IntegerDeserializer(), new IntegerDeserializer());
        consumer.subscribe(List.of(topic));
        return consumer;
    }

    private static Set<Integer> read(KafkaConsumer<Integer, Integer> consumer, int count) {
        Set<Integer> read = new HashSet<>();
        await().pollInSameThread().pollInterval(Duration.ofMillis(1)).until(() -> {
            consumer.poll(Duration.ofMillis(100)).forEach(each -> read.add(each.value()));
            return read.size() >= count;
        });
        return read;
    }

    private SubscriptionStats stats() throws Exception {
        return Objects.requireNonNull(
                topics.getPartitionedStats(topic, true).getSubscriptions().get(subscription));
    }

    private SubscriptionStats statsOf(int partition) throws Exception {
        return Objects.requireNonNull(topics.getStats(topic + "-partition-" + partition)
                .getSubscriptions()
                .get(subscription));
    }

    private void seenBeforeItCommits() throws Exception {
        assertThat(topics.getSubscriptions(topic)).containsExactly(subscription);
        assertThat(statsOf(1).getMsgBacklog()).isEqualTo(RECORDS / PARTITIONS);
        assertThat(statsOf(1).getConsumers()).singleElement();
        for (String partition : List.of(topic, topic + "-partition-1")) {
            assertThatThrownBy(() -> topics.deleteSubscription(partition, subscription))
                    .isInstanceOf(PreconditionFailedException.class)
                    .hasMessageContaining("active members");
        }
        assertThatThrownBy(() -> topics.skipAllMessages(topic + "-partition-1", subscription))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContaining("active members");
    }

    private void seenWhileConnected() throws Exception {
        assertThat(topics.getSubscriptions(topic)).containsExactly(subscription);
        assertThat(statsOf(0).getMsgBacklog()).isZero();
        assertThat(statsOf(0).getType()).isEqualTo("Failover");
        assertThat(statsOf(0).getConsumers()).singleElement().satisfies(reader -> {
            assertThat(reader.getConsumerName()).isEqualTo("reader");
            assertThat(reader.getAddress()).isNotEmpty();
        });
        assertThatThrownBy(() -> topics.skipAllMessages(topic, subscription))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContaining("active members");
        assertThatThrownBy(() -> topics.deleteSubscription(topic, subscription))
                .isInstanceOf(PreconditionFailedException.class);
        assertThatThrownBy(() -> topics.deletePartitionedTopic(topic)).isInstanceOf(PreconditionFailedException.class);
    }

    /** To the first message, to the end, to a message, and on: the next ones are 34, 36 and 38, and none of the other partition. */
    private void moved() throws Exception {
        topics.resetCursor(topic, subscription, 0);
        assertThat(stats().getMsgBacklog()).isEqualTo(RECORDS);
        topics.skipAllMessages(topic, subscription);
        assertThat(stats().getMsgBacklog()).isZero();
        String first = topic + "-partition-0";
        topics.resetCursor(first, subscription, MessageId.earliest);
        assertThat(statsOf(0).getMsgBacklog()).isEqualTo(RECORDS / PARTITIONS);
        topics.skipMessages(first, subscription, 17);
        assertThat(statsOf(0).getMsgBacklog()).isEqualTo(3);
        assertThat(statsOf(1).getMsgBacklog()).isZero();
        assertThatThrownBy(() -> topics.skipAllMessages(topic, "_group.other")).isInstanceOf(NotFoundException.class);
    }

    /** A subscription of such a name would hide a group. */
    private void namesAreKept() throws Exception {
        assertThatThrownBy(() -> topics.createSubscription(topic, subscription, MessageId.latest))
                .isInstanceOf(PreconditionFailedException.class);
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
            assertThatThrownBy(() -> client.newConsumer()
                            .topic(topic)
                            .subscriptionName(subscription)
                            .subscribe())
                    .isInstanceOf(PulsarClientException.class)
                    .hasMessageContaining("Kafka's groups");
        }
    }
}
