package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.PulsarClientException.TopicTerminatedException;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.MessageId;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.Transaction;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.config.TransactionPolicy;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.apache.pulsar.common.policies.data.ScalableTopicMetadata;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Classic topics that become scalable ones, under the stock clients of Pulsar 4 and 5. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MigrationTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int KEYS = 8;

    private final TestGateway gateway = TestGateway.start();
    private final TestAdmin admin = new TestAdmin(gateway);
    private final PulsarClient client;
    private String name = "";
    private String classic = "";
    private String scalable = "";

    MigrationTest() throws Exception {
        client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .build();
    }

    @BeforeEach
    void name(TestInfo test) {
        name = "public/default/" + test.getTestMethod().orElseThrow().getName();
        classic = "persistent://" + name;
        scalable = "topic://" + name;
    }

    @AfterAll
    void close() throws Exception {
        client.close();
        admin.close();
        gateway.close();
    }

    private Producer<String> producer(String topic) throws PulsarClientException {
        return client.newProducer(Schema.string()).topic(topic).create();
    }

    /** A message of each key. */
    private static void send(Producer<String> producer, int from, int to) throws PulsarClientException {
        for (int n = from; n < to; n++) {
            for (int key = 0; key < KEYS; key++) {
                Sends.send(producer, "k" + key, Integer.toString(n));
            }
        }
    }

    /** By key. */
    private static Map<String, List<Integer>> receive(Receives from, int count) throws PulsarClientException {
        Map<String, List<Integer>> received = new TreeMap<>();
        for (int n = 0; n < count; n++) {
            Message<String> message =
                    Objects.requireNonNull(from.receive(SOON), "after " + n + " of " + count + ": " + received);
            received.computeIfAbsent(message.key().orElseThrow(), _ -> new ArrayList<>())
                    .add(Integer.valueOf(message.value()));
        }
        return received;
    }

    private static Map<String, List<Integer>> all(int from, int to) {
        Map<String, List<Integer>> all = new TreeMap<>();
        for (int key = 0; key < KEYS; key++) {
            all.put("k" + key, IntStream.range(from, to).boxed().toList());
        }
        return all;
    }

    private static Map<String, List<Integer>> sorted(Map<String, List<Integer>> received) {
        received.values().forEach(values -> values.sort(null));
        return received;
    }

    private QueueConsumer<String> queue(String topic, String subscription) throws PulsarClientException {
        return client.newQueueConsumer(Schema.string())
                .topic(topic)
                .subscriptionName(subscription)
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
    }

    @Test
    void aPartitionedTopicGoesOnAsSegmentsUnderAProducer() throws Exception {
        admin.client().topics().createPartitionedTopic(classic, 3);
        try (Producer<String> producer = producer(classic)) {
            send(producer, 0, 5);
            admin.client().scalableTopics().migrateToScalable(name, false);
            send(producer, 5, 10);
        }
        ScalableTopicMetadata shown = admin.client().scalableTopics().getMetadata(scalable);
        assertThat(shown.getSegments()).hasSize(6);
        for (long id = 0; id < 3; id++) {
            var parent = Objects.requireNonNull(shown.getSegments().get(id));
            assertThat(parent.isSealed()).isTrue();
            assertThat(parent.getLegacyTopicName()).isEqualTo(classic + "-partition-" + id);
            var child = Objects.requireNonNull(shown.getSegments().get(id + 3));
            assertThat(child.isActive()).isTrue();
            assertThat(child.getParentIds()).containsExactly(0L, 1L, 2L);
        }
        try (QueueConsumer<String> queue = queue(scalable, "q")) {
            assertThat(sorted(receive(Receives.acknowledging(queue), KEYS * 10)))
                    .isEqualTo(all(0, 10));
        }
        try (StreamConsumer<String> stream = stream("s")) {
            assertThat(receive(Receives.acknowledging(stream), KEYS * 10)).isEqualTo(all(0, 10));
        }
    }

    private StreamConsumer<String> stream(String subscription) throws PulsarClientException {
        return stream(client, subscription);
    }

    private StreamConsumer<String> stream(PulsarClient of, String subscription) throws PulsarClientException {
        return of.newStreamConsumer(Schema.string())
                .topic(scalable)
                .subscriptionName(subscription)
                .consumerName("one")
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
    }

    @Test
    void messagesOnTheirWayComeToOneOrTheOther() throws Exception {
        admin.client().topics().createNonPartitionedTopic(classic);
        List<CompletableFuture<MessageId>> sent = new ArrayList<>();
        try (Producer<String> producer = producer(classic)) {
            for (int n = 0; n < 200; n++) {
                sent.add(Sends.sendAsync(producer, "k", Integer.toString(n)));
                if (n == 100) {
                    admin.client().scalableTopics().migrateToScalable(name, false);
                }
            }
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get();
        }
        try (QueueConsumer<String> queue = queue(scalable, "q")) {
            assertThat(sorted(receive(Receives.acknowledging(queue), 200)).get("k"))
                    .containsExactlyElementsOf(IntStream.range(0, 200).boxed().toList());
        }
    }

    @Test
    void subscriptionsGoOnWhereTheyWere() throws Exception {
        admin.client().topics().createPartitionedTopic(classic, 2);
        try (Producer<String> producer = producer(classic)) {
            try (QueueConsumer<String> queue = queue(classic, "q")) {
                send(producer, 0, 3);
                assertThat(sorted(receive(Receives.acknowledging(queue), KEYS * 3)))
                        .isEqualTo(all(0, 3));
                send(producer, 3, 5);
                admin.client().scalableTopics().migrateToScalable(name, false);
                send(producer, 5, 7);
                assertThat(sorted(receive(Receives.acknowledging(queue), KEYS * 4)))
                        .isEqualTo(all(3, 7));
            }
        }
        assertThat(admin.client().scalableTopics().getStats(scalable).getSubscriptions())
                .containsKey("q");
    }

    /** The client names the last message of every partition and segment with each acknowledgement. */
    @Test
    void aStreamAcknowledgesInTransactionsPastThePartitions() throws Exception {
        admin.client().topics().createPartitionedTopic(classic, 2);
        try (Producer<String> producer = producer(classic)) {
            send(producer, 0, 2);
            migrate(false);
            send(producer, 2, 4);
        }
        try (PulsarClient transactional = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .transactionPolicy(TransactionPolicy.builder()
                        .timeout(Duration.ofMinutes(1))
                        .build())
                .build()) {
            try (StreamConsumer<String> stream = stream(transactional, "s")) {
                for (int from : new int[] {0, 2}) {
                    Transaction transaction = transactional.newTransaction();
                    Receives inTransaction = within -> {
                        Message<String> message = stream.receive(within);
                        if (message != null) {
                            stream.acknowledgeCumulative(message.id(), transaction);
                        }
                        return message;
                    };
                    assertThat(receive(inTransaction, KEYS * 2)).isEqualTo(all(from, from + 2));
                    transaction.commit();
                }
            }
        }
        try (Producer<String> producer = producer(scalable);
                StreamConsumer<String> stream = stream("s")) {
            send(producer, 4, 5);
            assertThat(receive(Receives.acknowledging(stream), KEYS)).isEqualTo(all(4, 5));
        }
    }

    @Test
    void clientsThatCannotFollowAreInTheWayUnlessItIsForced() throws Exception {
        try (var old = org.apache.pulsar.client.api.PulsarClient.builder()
                        .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                        .build();
                var producer = old.newProducer(org.apache.pulsar.client.api.Schema.STRING)
                        .topic(classic)
                        .create();
                var consumer = old.newConsumer(org.apache.pulsar.client.api.Schema.STRING)
                        .topic(classic)
                        .subscriptionName("old")
                        .subscribe()) {
            producer.send("1");
            assertThat(refusal(() -> migrate(false)))
                    .isEqualTo("409 Topic " + classic
                            + " has 2 producers and consumers of clients that do not know scalable"
                            + " topics. Disconnect them, or use force");
            assertThat(gateway.broker()
                            .scalableTopics()
                            .find(TopicName.ofDefault(name.substring(name.lastIndexOf('/') + 1))))
                    .isNull();
            producer.send("2");
            migrate(true);
            assertThatThrownBy(() -> producer.send("3")).isInstanceOf(TopicTerminatedException.class);
            assertThat(Objects.requireNonNull(consumer.receive()).getValue()).isEqualTo("1");
            assertThat(Objects.requireNonNull(consumer.receive()).getValue()).isEqualTo("2");
        }
    }

    private void migrate(boolean force) throws PulsarAdminException {
        admin.client().scalableTopics().migrateToScalable(name, force);
    }

    private interface Asked {
        void ask() throws PulsarAdminException;
    }

    private static String refusal(Asked asked) throws PulsarAdminException {
        try {
            asked.ask();
            return "done";
        } catch (PulsarAdminException e) {
            return e.getStatusCode() + " " + e.getHttpError();
        }
    }

    @Test
    void whatCannotBecomeScalableIsRefused() throws Exception {
        assertThat(refusal(() -> migrate(false))).startsWith("404 ");
        admin.client().topics().createPartitionedTopic(classic, 65);
        assertThat(refusal(() -> migrate(false))).startsWith("412 ").contains("64 segments");
        admin.client().topics().createNonPartitionedTopic(classic + "-other");
        name += "-other";
        migrate(false);
        assertThat(refusal(() -> migrate(false))).startsWith("409 ").contains("already scalable");
    }

    @Test
    void partitionsThatAreReadGoWithTheClassicTopic() throws Exception {
        admin.client().topics().createPartitionedTopic(classic, 2);
        try (Producer<String> producer = producer(classic)) {
            send(producer, 0, 2);
            migrate(false);
            send(producer, 2, 4);
        }
        admin.client().scalableTopics().deleteScalableTopic(scalable, true);
        assertThat(admin.client().topics().getPartitionedTopicList("public/default"))
                .doesNotContain(classic);
        assertThat(admin.client().topics().getList("public/default")).noneMatch(topic -> topic.startsWith(classic));
    }
}
