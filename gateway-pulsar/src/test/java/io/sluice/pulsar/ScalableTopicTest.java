package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.Broker;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.v5.Checkpoint;
import org.apache.pulsar.client.api.v5.CheckpointConsumer;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.apache.pulsar.common.policies.data.ScalableTopicMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stock client of Pulsar 5 on topics whose segments split and merge. */
@Timeout(120)
class ScalableTopicTest {
    private static final TopicName NAME = TopicName.ofDefault("s");
    private static final String TOPIC = "topic://public/default/s";
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int KEYS = 16;

    private TestGateway gateway;
    private TestAdmin admin;
    private PulsarClient client;
    private final Map<String, Integer> sent = new HashMap<>();

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        admin = new TestAdmin(gateway);
        client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .build();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        admin.close();
        gateway.close();
    }

    private ScalableTopic topic() {
        return Objects.requireNonNull(gateway.broker().scalableTopics().find(NAME));
    }

    private void send(Producer<String> producer, int rounds) throws Exception {
        for (int i = 0; i < rounds; i++) {
            for (int k = 0; k < KEYS; k++) {
                String key = "k" + k;
                int number = sent.merge(key, 1, Integer::sum);
                Sends.send(producer, key, key + ":" + number);
            }
        }
    }

    private Set<String> expected() {
        Set<String> all = new HashSet<>();
        sent.forEach((key, count) -> {
            for (int i = 1; i <= count; i++) {
                all.add(key + ":" + i);
            }
        });
        return all;
    }

    private static void assertInOrder(List<String> values) {
        Map<String, Integer> last = new HashMap<>();
        for (String value : values) {
            String key = value.substring(0, value.indexOf(':'));
            int number = Integer.parseInt(value.substring(value.indexOf(':') + 1));
            assertThat(number).as(value + " of " + values).isEqualTo(last.getOrDefault(key, 0) + 1);
            last.put(key, number);
        }
    }

    @Test
    void clientsFollowWhatAnotherNodeDoesToTheirTopic() throws Exception {
        gateway.broker().scalableTopics().create(NAME, 1, Map.of()).join();
        try (Broker other = gateway.broker().anotherNode();
                Producer<String> producer =
                        client.newProducer(Schema.string()).topic(TOPIC).create();
                QueueConsumer<String> consumer = queue()) {
            send(producer, 2);
            long only = topic().graph().active().getFirst().id();
            other.scalableTopics().split(NAME, only).get(20, TimeUnit.SECONDS);
            send(producer, 2);
            assertThat(topic().graph().active()).hasSize(2);
            assertThat(new HashSet<>(receive(consumer, 4 * KEYS))).isEqualTo(expected());
        }
    }

    private QueueConsumer<String> queue() throws Exception {
        return client.newQueueConsumer(Schema.string())
                .topic(TOPIC)
                .subscriptionName("q")
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
    }

    private List<String> receive(QueueConsumer<String> consumer, int count) throws Exception {
        List<String> values = new ArrayList<>();
        while (values.size() < count) {
            Message<String> message = consumer.receive(SOON);
            assertThat(message).as("after " + values.size() + " of " + count).isNotNull();
            consumer.acknowledge(message.id());
            values.add(message.value());
        }
        return values;
    }

    @Test
    void aMissingTopicIsSaidToBeMissing() {
        assertThatThrownBy(
                        () -> client.newProducer(Schema.string()).topic(TOPIC).create())
                .isInstanceOf(PulsarClientException.class)
                .hasMessageContaining("Scalable topic not found: " + TOPIC);
    }

    @Test
    void queueConsumersFollowSplitsAndMerges() throws Exception {
        gateway.broker().scalableTopics().create(NAME, 1, Map.of()).join();
        try (Producer<String> producer =
                        client.newProducer(Schema.string()).topic(TOPIC).create();
                QueueConsumer<String> consumer = queue()) {
            send(producer, 10);
            List<String> got = receive(consumer, sent.size() * 10);
            admin.client().scalableTopics().splitSegment(TOPIC, 0);
            send(producer, 10);
            admin.client().scalableTopics().splitSegment(TOPIC, 1);
            send(producer, 10);
            admin.client().scalableTopics().mergeSegments(TOPIC, 4, 2);
            send(producer, 10);
            got.addAll(receive(consumer, KEYS * 30));
            assertThat(got).doesNotHaveDuplicates();
            assertThat(new HashSet<>(got)).isEqualTo(expected());
            assertThat(topic().graph().active()).hasSize(2);
        }
    }

    private static ScalableTopicMetadata.SegmentInfo segment(ScalableTopicMetadata metadata, long id) {
        return Objects.requireNonNull(metadata.getSegments().get(id));
    }

    @Test
    void adminSeesAndChangesTheGraph() throws Exception {
        var scalable = admin.client().scalableTopics();
        scalable.createScalableTopic(TOPIC, 2, Map.of("owner", "me"));
        assertThatThrownBy(() -> scalable.createScalableTopic(TOPIC, 2))
                .isInstanceOf(PulsarAdminException.ConflictException.class);
        assertThat(scalable.listScalableTopics("public/default")).containsExactly(TOPIC);
        assertThat(scalable.listScalableTopicsByProperties("public/default", Map.of("owner", "you")))
                .isEmpty();
        assertThat(admin.client().topics().getList("public/default")).isEmpty();

        scalable.splitSegment(TOPIC, 1);
        ScalableTopicMetadata metadata = scalable.getMetadata(TOPIC);
        assertThat(metadata.getEpoch()).isEqualTo(1);
        assertThat(segment(metadata, 1).isSealed()).isTrue();
        assertThat(segment(metadata, 3).getHashRange().getStart()).isEqualTo(0xc000);
        assertThat(segment(metadata, 3).getParentIds()).containsExactly(1L);
        assertThat(metadata.getProperties()).containsEntry("owner", "me");
        assertThat(scalable.getStats(TOPIC).getSealedSegments()).isEqualTo(1);

        assertThatThrownBy(() -> scalable.splitSegment(TOPIC, 1)).hasMessageContaining("segment 1 is not active");
        assertThatThrownBy(() -> scalable.mergeSegments(TOPIC, 0, 3)).hasMessageContaining("are not adjacent");
        assertThatThrownBy(() -> scalable.splitSegment(TOPIC, 9))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
        scalable.deleteScalableTopic(TOPIC, false);
        assertThatThrownBy(() -> scalable.getMetadata(TOPIC))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
        assertThat(gateway.broker().catalogue().all()).allMatch(Topic::internal);
    }

    @Test
    void theTopicIsThereAfterARestart() throws Exception {
        gateway.broker().scalableTopics().create(NAME, 1, Map.of()).join();
        try (Producer<String> producer =
                client.newProducer(Schema.string()).topic(TOPIC).create()) {
            send(producer, 3);
            admin.client().scalableTopics().splitSegment(TOPIC, 0);
            send(producer, 3);
        }
        ScalableTopic before = topic();
        gateway.restart();
        assertThat(topic()).isEqualTo(before);
        try (QueueConsumer<String> consumer = queue()) {
            assertThat(new HashSet<>(receive(consumer, KEYS * 6))).isEqualTo(expected());
        }
    }

    @Test
    void aCheckpointConsumerReadsEverySegment() throws Exception {
        gateway.broker().scalableTopics().create(NAME, 1, Map.of()).join();
        try (Producer<String> producer =
                        client.newProducer(Schema.string()).topic(TOPIC).create();
                CheckpointConsumer<String> reader = client.newCheckpointConsumer(Schema.string())
                        .topic(TOPIC)
                        .startPosition(Checkpoint.earliest())
                        .create()) {
            send(producer, 5);
            List<String> got = new ArrayList<>();
            while (got.size() < KEYS * 5) {
                got.add(Objects.requireNonNull(reader.receive(SOON)).value());
            }
            admin.client().scalableTopics().splitSegment(TOPIC, 0);
            send(producer, 5);
            while (got.size() < KEYS * 10) {
                got.add(Objects.requireNonNull(reader.receive(SOON)).value());
            }
            assertInOrder(got);
            assertThat(new HashSet<>(got)).isEqualTo(expected());
        }
    }

    @Test
    void aClassicTopicIsUsedByItsOwnName() throws Exception {
        String classic = "persistent://public/default/c";
        admin.client().topics().createPartitionedTopic(classic, 3);
        try (Producer<String> producer =
                        client.newProducer(Schema.string()).topic(classic).create();
                QueueConsumer<String> consumer = client.newQueueConsumer(Schema.string())
                        .topic(classic)
                        .subscriptionName("q")
                        .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                        .subscribe()) {
            send(producer, 5);
            assertThat(new HashSet<>(receive(consumer, KEYS * 5))).isEqualTo(expected());
        }
    }
}
