package io.sluice.conformance;

import static org.apache.kafka.common.GroupState.EMPTY;
import static org.apache.kafka.common.GroupState.STABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;

/**
 * An application that goes from a Kafka group to a Pulsar subscription and back, in the middle of batches, by positions that Kafka's admin
 * client copies. It reads each record once.
 */
final class MovedApplication {
    private static final String TOPIC = "moved";
    private static final String NAME = "readers";
    private static final String SUBSCRIPTION = "_sub." + TOPIC + "/" + NAME;
    private static final int PARTITIONS = 2;
    private static final int RECORDS = 60;
    private static final int SECONDS = 30;

    private final SluiceServer server;
    private final List<Integer> read = new ArrayList<>();

    private MovedApplication(SluiceServer server) {
        this.server = server;
    }

    static void check(SluiceServer server) throws Exception {
        new MovedApplication(server).check();
    }

    private void check() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get(SECONDS, TimeUnit.SECONDS);
            write();
            readByKafka(RECORDS / 3);
            copy(admin, NAME, SUBSCRIPTION);
            readByPulsar(admin, 2 * RECORDS / 3);
            await().untilAsserted(() -> assertThat(describe(admin).groupState()).isEqualTo(EMPTY));
            copy(admin, SUBSCRIPTION, NAME);
            readByKafka(RECORDS);
            assertThat(read)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, RECORDS).boxed().toList());
            admin.deleteConsumerGroups(List.of(SUBSCRIPTION)).all().get(SECONDS, TimeUnit.SECONDS);
            assertThat(admin.listGroups().all().get(SECONDS, TimeUnit.SECONDS))
                    .noneMatch(group -> group.groupId().equals(SUBSCRIPTION));
        }
    }

    private void write() {
        Map<String, Object> settings = Map.of("bootstrap.servers", server.kafka(), "linger.ms", 100);
        try (KafkaProducer<Integer, Integer> producer =
                new KafkaProducer<>(settings, new IntegerSerializer(), new IntegerSerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(TOPIC, i % PARTITIONS, i, i));
            }
        }
    }

    private void readByKafka(int upTo) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                server.kafka(),
                "group.id",
                NAME,
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                false,
                "max.poll.records",
                1);
        try (KafkaConsumer<Integer, Integer> consumer =
                new KafkaConsumer<>(settings, new IntegerDeserializer(), new IntegerDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            await().pollInSameThread().pollInterval(Duration.ofMillis(1)).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(each -> read.add(each.value()));
                return read.size() >= upTo;
            });
            // a partition that nothing came from has a position, too
            Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
            consumer.assignment().forEach(each -> positions.put(each, new OffsetAndMetadata(consumer.position(each))));
            consumer.commitSync(positions);
        }
    }

    private void readByPulsar(Admin admin, int upTo) throws Exception {
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Consumer<byte[]> consumer = client.newConsumer(Schema.BYTES)
                        .topic(TOPIC)
                        .subscriptionName(NAME)
                        .subscriptionType(SubscriptionType.Failover)
                        .enableBatchIndexAcknowledgment(true)
                        .subscribe()) {
            refuseChangesWhileConnected(admin);
            while (read.size() < upTo) {
                Message<byte[]> message = consumer.receive(SECONDS, TimeUnit.SECONDS);
                assertThat(message).as("after %s", read).isNotNull();
                read.add(new IntegerDeserializer().deserialize(TOPIC, message.getValue()));
                consumer.acknowledge(message);
            }
        }
        await().untilAsserted(() -> assertThat(offsets(admin, SUBSCRIPTION).values().stream()
                        .mapToLong(OffsetAndMetadata::offset)
                        .sum())
                .isEqualTo(upTo));
    }

    private static void refuseChangesWhileConnected(Admin admin) throws Exception {
        ConsumerGroupDescription group = describe(admin);
        assertThat(group.groupState()).isEqualTo(STABLE);
        assertThat(group.members()).isNotEmpty();
        Map<TopicPartition, OffsetAndMetadata> start = Map.of(new TopicPartition(TOPIC, 0), new OffsetAndMetadata(0));
        assertThatThrownBy(() -> admin.alterConsumerGroupOffsets(SUBSCRIPTION, start)
                        .all()
                        .get(SECONDS, TimeUnit.SECONDS))
                .hasCauseInstanceOf(UnknownMemberIdException.class);
        assertThatThrownBy(() ->
                        admin.deleteConsumerGroups(List.of(SUBSCRIPTION)).all().get(SECONDS, TimeUnit.SECONDS))
                .hasCauseInstanceOf(GroupNotEmptyException.class);
    }

    private static ConsumerGroupDescription describe(Admin admin) throws Exception {
        return Objects.requireNonNull(admin.describeConsumerGroups(List.of(SUBSCRIPTION))
                        .describedGroups()
                        .get(SUBSCRIPTION))
                .get(SECONDS, TimeUnit.SECONDS);
    }

    private static void copy(Admin admin, String from, String to) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> positions = offsets(admin, from);
        assertThat(positions).hasSize(PARTITIONS);
        positions.replaceAll((_, position) -> new OffsetAndMetadata(position.offset()));
        admin.alterConsumerGroupOffsets(to, positions).all().get(SECONDS, TimeUnit.SECONDS);
    }

    private static Map<TopicPartition, OffsetAndMetadata> offsets(Admin admin, String group) throws Exception {
        return new HashMap<>(admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get(SECONDS, TimeUnit.SECONDS));
    }
}
