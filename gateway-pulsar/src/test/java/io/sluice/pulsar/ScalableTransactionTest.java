package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.Transaction;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.config.TransactionPolicy;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Transactions of the stock client of Pulsar 5 on scalable topics. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ScalableTransactionTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration QUIET = Duration.ofMillis(300);
    private static final int KEYS = 8;

    private final TestGateway gateway = TestGateway.start();
    private TestAdmin admin = new TestAdmin(gateway);
    private final PulsarClient client;
    private String topic = "";
    private @Nullable Producer<String> producer;

    ScalableTransactionTest() throws Exception {
        client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .transactionPolicy(TransactionPolicy.builder()
                        .timeout(Duration.ofMinutes(1))
                        .build())
                .build();
    }

    @BeforeEach
    void name(TestInfo test) {
        topic = "topic://public/default/" + test.getTestMethod().orElseThrow().getName();
    }

    @AfterEach
    void closeProducer() throws Exception {
        if (producer != null) {
            producer.close();
        }
    }

    @AfterAll
    void close() throws Exception {
        client.close();
        admin.close();
        gateway.close();
    }

    private void create(int segments) throws Exception {
        admin.client().scalableTopics().createScalableTopic(topic, segments);
        producer = client.newProducer(Schema.string()).topic(topic).create();
    }

    private void split(long segment) throws Exception {
        admin.client().scalableTopics().splitSegment(topic, segment);
    }

    /** A message of each key. */
    private Set<String> send(String round, @Nullable Transaction in) throws PulsarClientException {
        Set<String> sent = new HashSet<>();
        for (int k = 0; k < KEYS; k++) {
            Sends.send(Objects.requireNonNull(producer), "k" + k, round + ":k" + k, in);
            sent.add(round + ":k" + k);
        }
        return sent;
    }

    private QueueConsumer<String> queue() throws PulsarClientException {
        return client.newQueueConsumer(Schema.string())
                .topic(topic)
                .subscriptionName("q")
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
    }

    private StreamConsumer<String> stream() throws PulsarClientException {
        return client.newStreamConsumer(Schema.string())
                .topic(topic)
                .subscriptionName("s")
                .consumerName("one")
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
    }

    private static List<Message<String>> take(Receives from, int count) throws PulsarClientException {
        List<Message<String>> taken = new ArrayList<>();
        while (taken.size() < count) {
            Message<String> message = from.receive(SOON);
            assertThat(message).as("after %d of %d", taken.size(), count).isNotNull();
            taken.add(message);
        }
        return taken;
    }

    private static Set<String> values(List<Message<String>> messages) {
        Set<String> values = new HashSet<>();
        messages.forEach(m -> values.add(m.value()));
        assertThat(values).hasSameSizeAs(messages);
        return values;
    }

    private static void expectNothing(Receives from) throws PulsarClientException {
        Message<String> more = from.receive(QUIET);
        assertThat(more == null ? null : more.value()).isNull();
    }

    /** Of each key these rounds, in this order. */
    private static void assertRounds(List<Message<String>> messages, String... rounds) {
        Map<String, List<String>> byKey = new TreeMap<>();
        for (Message<String> message : messages) {
            String[] parts = message.value().split(":");
            byKey.computeIfAbsent(parts[1], key -> new ArrayList<>()).add(parts[0]);
        }
        assertThat(byKey).hasSize(KEYS);
        assertThat(byKey.values()).allSatisfy(got -> assertThat(got).containsExactly(rounds));
    }

    @Test
    void whatIsCommittedIsSeenAndWhatIsAbortedNever() throws Exception {
        create(2);
        try (QueueConsumer<String> queue = queue()) {
            Transaction committed = client.newTransaction();
            Transaction aborted = client.newTransaction();
            Set<String> expected = send("committed", committed);
            send("aborted", aborted);
            expectNothing(queue::receive);
            committed.commit();
            aborted.abort();
            assertThat(committed.state()).isEqualTo(Transaction.State.COMMITTED);
            expected.addAll(send("plain", null));
            assertThat(values(take(queue::receive, 2 * KEYS))).isEqualTo(expected);
            expectNothing(queue::receive);
        }
    }

    @Test
    void queueConsumersAcknowledgeInTransactions() throws Exception {
        create(2);
        try (QueueConsumer<String> queue = queue()) {
            Set<String> sent = send("a", null);
            Transaction aborted = client.newTransaction();
            take(queue::receive, KEYS).forEach(m -> queue.acknowledge(m.id(), aborted));
            expectNothing(queue::receive);
            aborted.abort();
            Transaction committed = client.newTransaction();
            List<Message<String>> again = take(queue::receive, KEYS);
            assertThat(values(again)).isEqualTo(sent);
            assertThat(again).allMatch(m -> m.redeliveryCount() == 1);
            again.forEach(m -> queue.acknowledge(m.id(), committed));
            committed.commit();
        }
        try (QueueConsumer<String> queue = queue()) {
            Set<String> sent = send("b", null);
            assertThat(values(take(queue::receive, KEYS))).isEqualTo(sent);
            expectNothing(queue::receive);
        }
    }

    @Test
    void streamConsumersAcknowledgeInTransactions() throws Exception {
        create(2);
        try (StreamConsumer<String> stream = stream()) {
            Set<String> sent = send("a", null);
            Transaction aborted = client.newTransaction();
            List<Message<String>> first = take(stream::receive, KEYS);
            stream.acknowledgeCumulative(first.getLast().id(), aborted);
            expectNothing(stream::receive);
            aborted.abort();
            List<Message<String>> again = take(stream::receive, KEYS);
            assertThat(values(again)).isEqualTo(sent);
            Transaction committed = client.newTransaction();
            for (Message<String> each : again) {
                stream.acknowledgeCumulative(each.id(), committed);
            }
            committed.commit();
            sent = send("b", null);
            List<Message<String>> next = take(stream::receive, KEYS);
            assertThat(values(next)).isEqualTo(sent);
            Transaction another = client.newTransaction();
            stream.acknowledgeCumulative(next.getLast().id(), another);
            another.commit();
        }
        try (StreamConsumer<String> stream = stream()) {
            Set<String> sent = send("c", null);
            assertThat(values(take(stream::receive, KEYS))).isEqualTo(sent);
            expectNothing(stream::receive);
        }
    }

    @Test
    void aTransactionOverASplitCommitsWholeAndInOrder() throws Exception {
        create(1);
        try (StreamConsumer<String> stream = stream();
                QueueConsumer<String> queue = queue()) {
            Transaction open = client.newTransaction();
            send("1", open);
            split(0);
            // Consumers of a queue may read on, those of a stream come later.
            Set<String> plain = send("2", null);
            send("3", open);
            assertThat(values(take(queue::receive, KEYS))).isEqualTo(plain);
            expectNothing(stream::receive);
            expectNothing(queue::receive);
            open.commit();

            assertRounds(take(Receives.acknowledging(stream), 3 * KEYS), "1", "2", "3");
            assertThat(values(take(queue::receive, 2 * KEYS))).doesNotContainAnyElementsOf(plain);
            expectNothing(queue::receive);
        }
    }

    @Test
    void aTransactionOverASplitAndAMergeAbortsWhole() throws Exception {
        create(1);
        try (StreamConsumer<String> stream = stream()) {
            Transaction open = client.newTransaction();
            send("1", open);
            send("2", null);
            split(0);
            send("3", null);
            send("4", open);
            admin.client().scalableTopics().mergeSegments(topic, 1, 2);
            send("5", null);
            send("6", open);
            send("7", null);
            expectNothing(stream::receive);
            gateway.restart();
            admin.close();
            admin = new TestAdmin(gateway);
            open.abort();
            assertRounds(take(Receives.acknowledging(stream), 4 * KEYS), "2", "3", "5", "7");
            expectNothing(stream::receive);
        }
    }

    @Test
    void acknowledgementsOverASplitCountWholeOrComeAgain() throws Exception {
        create(1);
        try (StreamConsumer<String> stream = stream();
                QueueConsumer<String> queue = queue()) {
            send("1", null);
            Transaction aborted = client.newTransaction();
            stream.acknowledgeCumulative(take(stream::receive, KEYS).getLast().id(), aborted);
            take(queue::receive, KEYS).forEach(m -> queue.acknowledge(m.id(), aborted));
            split(0);
            send("2", null);
            take(queue::receive, KEYS).forEach(m -> queue.acknowledge(m.id(), aborted));
            // The first segment is not drained before it is known whether that counts.
            expectNothing(stream::receive);
            expectNothing(queue::receive);
            aborted.abort();

            List<Message<String>> again = take(queue::receive, 2 * KEYS);
            assertThat(values(again)).hasSize(2 * KEYS);
            assertThat(again).allMatch(m -> m.redeliveryCount() == 1);
            Transaction committed = client.newTransaction();
            again.forEach(m -> queue.acknowledge(m.id(), committed));
            List<Message<String>> first = take(stream::receive, KEYS);
            assertRounds(first, "1");
            stream.acknowledgeCumulative(first.getLast().id(), committed);
            expectNothing(stream::receive);
            committed.commit();

            assertRounds(take(stream::receive, KEYS), "2");
            expectNothing(queue::receive);
        }
        try (QueueConsumer<String> queue = queue()) {
            Set<String> sent = send("3", null);
            assertThat(values(take(queue::receive, KEYS))).isEqualTo(sent);
        }
    }
}
