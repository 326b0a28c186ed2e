package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.DirectPeers;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TwoNodes;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.transactions.GroupTransactions;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionSettings;
import io.sluice.transactions.peer.PeerTransactions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pulsar.client.admin.Transactions;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.common.policies.data.TransactionCoordinatorInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stock client's transactions over two nodes, each of which has half of the partitions and of the coordinators. */
@Timeout(120)
class TwoNodesTransactionsTest {
    private static final int PARTITIONS = 4;
    private static final int MESSAGES = 40;
    private static final int HAND_OVERS = 8;
    private static final long SOON = 30;

    private final TestBroker broker = TestBroker.start();
    private final TwoNodes nodes = new TwoNodes(broker);
    private final DirectPeers peers = new DirectPeers();
    private final AtomicLong ids = new AtomicLong();
    private final List<Node> started = new ArrayList<>();
    private PulsarClient client;

    private final class Node {
        private final PeerTransactions remote;
        private final TransactionAuthority authority;
        private final PulsarGateway gateway;
        private final int port;

        Node(int id) throws Exception {
            remote = new PeerTransactions(nodes.of(id), peers.of(id));
            authority = TransactionAuthority.open(
                    TransactionSettings.DEFAULT,
                    new TransactionAuthority.Environment(
                            broker.catalogue(),
                            nodes.partitionsOf(id),
                            ids::incrementAndGet,
                            task -> Thread.ofVirtual().start(task),
                            System::currentTimeMillis,
                            remote));
            PeerTransactions.answer(peers.handlers(id), authority.local(), nodes.containersOf(id));
            authority.start(GroupTransactions.NONE);
            gateway = new PulsarGateway(
                    PulsarGatewayConfig.defaults("127.0.0.1", 0, "node" + id),
                    new Backend(
                            broker.catalogue(),
                            nodes.partitionsOf(id),
                            broker.metadata(),
                            (name, task) -> Thread.ofVirtual().name(name).start(task),
                            Authorizer.ALLOW_ALL,
                            nodes.of(id),
                            broker.scalableTopics(),
                            TestGateway.views(broker),
                            authority.singles()),
                    new SimpleMeterRegistry());
            port = gateway.start();
        }

        void close() {
            gateway.close();
            authority.close();
            remote.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        broker.createTopic(TopicName.ofDefault("in"), PARTITIONS, true);
        broker.createTopic(TopicName.ofDefault("out"), PARTITIONS, true);
        started.add(new Node(1));
        started.add(new Node(2));
        client = PulsarClients.builder("pulsar://127.0.0.1:" + started.getFirst().port)
                .enableTransaction(true)
                .build();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        started.forEach(Node::close);
        broker.close();
    }

    @Test
    void eachCoordinatorIsAskedAtTheNodeThatHasIt() throws Exception {
        List<TestAdmin> admins = new ArrayList<>();
        try {
            for (int node = 1; node <= 2; node++) {
                Node it = started.get(node - 1);
                TestAdmin admin = new TestAdmin(it.gateway, it.port);
                admins.add(admin);
                nodes.of(node).advertise(ClusterNode.HTTP, new Endpoint("127.0.0.1", admin.port()));
            }
            try (Producer<String> producer = producer("out")) {
                List<Transaction> open = new ArrayList<>();
                for (int i = 0; i < 2 * PARTITIONS; i++) {
                    Transaction transaction = begin(60);
                    for (int p = 0; p < PARTITIONS; p++) {
                        producer.newMessage(transaction).value("m").send();
                    }
                    open.add(transaction);
                }
                for (TestAdmin admin : admins) {
                    assertShowsAll(admin.client().transactions(), open);
                }
                for (Transaction each : open) {
                    admins.getFirst().client().transactions().abortTransaction(each.getTxnID());
                }
            }
        } finally {
            for (TestAdmin admin : admins) {
                admin.close();
            }
        }
    }

    private static void assertShowsAll(Transactions admin, List<Transaction> open) throws Exception {
        assertThat(admin.listTransactionCoordinators().stream()
                        .map(TransactionCoordinatorInfo::getBrokerServiceUrl)
                        .distinct())
                .hasSize(2);
        var stats = admin.getCoordinatorStats();
        assertThat(stats.values()).allSatisfy(each -> assertThat(each.state).isEqualTo("Ready"));
        assertThat(stats.values().stream()
                        .mapToLong(each -> each.ongoingTxnSize)
                        .sum())
                .isEqualTo(open.size());
        assertThat(admin.getSlowTransactions(0, TimeUnit.MILLISECONDS)).hasSize(open.size());
        for (Transaction each : open) {
            int coordinator = (int) each.getTxnID().getMostSigBits();
            assertThat(admin.getCoordinatorStatsById(coordinator).ongoingTxnSize)
                    .isPositive();
            var metadata = admin.getTransactionMetadata(each.getTxnID());
            assertThat(metadata.status).isEqualTo("OPEN");
            assertThat(metadata.producedPartitions).hasSize(PARTITIONS);
            assertThat(metadata.producedPartitions.values())
                    .allSatisfy(partition -> assertThat(partition.startPosition).isNotNull());
        }
    }

    private Producer<String> producer(String topic) throws PulsarClientException {
        return client.newProducer(Schema.STRING)
                .topic(topic)
                .enableBatching(false)
                .sendTimeout(0, TimeUnit.SECONDS)
                .create();
    }

    private ConsumerBuilder<String> consumer(String topic) {
        return client.newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName("s")
                .subscriptionType(SubscriptionType.Shared)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest);
    }

    private Transaction begin() throws Exception {
        return begin(60);
    }

    private Transaction begin(long timeoutSeconds) throws Exception {
        return client.newTransaction()
                .withTransactionTimeout(timeoutSeconds, TimeUnit.SECONDS)
                .build()
                .get(SOON, TimeUnit.SECONDS);
    }

    private void fill() throws PulsarClientException {
        try (Producer<String> producer = producer("in")) {
            for (int i = 0; i < MESSAGES; i++) {
                producer.send("" + i);
            }
        }
    }

    /** Copies a message and acknowledges it, in one transaction. False if that did not succeed, or is not known to have. */
    private boolean copy(Message<String> message, Consumer<String> from, Producer<String> to, boolean commit)
            throws Exception {
        Transaction transaction = begin();
        try {
            to.newMessage(transaction).value(message.getValue()).sendAsync().get(SOON, TimeUnit.SECONDS);
            from.acknowledgeAsync(message.getMessageId(), transaction).get(SOON, TimeUnit.SECONDS);
            (commit ? transaction.commit() : transaction.abort()).get(SOON, TimeUnit.SECONDS);
            return commit;
        } catch (ExecutionException | TimeoutException e) {
            transaction.abort(); // else its time runs out
            return false;
        }
    }

    /** All that was copied, each once. */
    private void checkCopied() throws PulsarClientException {
        Set<String> copied = new HashSet<>();
        try (Consumer<String> consumer = consumer("out").subscribe()) {
            while (copied.size() < MESSAGES) {
                Message<String> next = consumer.receive((int) SOON, TimeUnit.SECONDS);
                assertThat(next).as("copied so far: %s", copied).isNotNull();
                assertThat(copied.add(next.getValue())).as(next.getValue()).isTrue();
            }
            assertThat(consumer.receive(300, TimeUnit.MILLISECONDS)).isNull();
        }
    }

    private boolean isAllAcknowledged() {
        for (int p = 0; p < PARTITIONS; p++) {
            var log = broker.partition("in", p);
            boolean done = broker.onLoop(log, () -> {
                var cursor = log.subscriptions().find("s");
                return cursor != null && cursor.ackedBelow() == log.durableEnd();
            });
            if (!done) {
                return false;
            }
        }
        return true;
    }

    @Test
    void whatIsCopiedIsThereOnceWhereverTheCoordinatorsAre() throws Exception {
        fill();
        try (Consumer<String> from = consumer("in").subscribe();
                Producer<String> to = producer("out")) {
            int copied = 0;
            for (int n = 0; copied < MESSAGES; n++) {
                Message<String> next = from.receive((int) SOON, TimeUnit.SECONDS);
                assertThat(next).as("copied so far: %d", copied).isNotNull();
                boolean commit = n % 4 != 1;
                assertThat(copy(next, from, to, commit)).isEqualTo(commit);
                copied += commit ? 1 : 0;
            }
        }
        checkCopied();
    }

    @Test
    void whatIsCopiedIsThereOnceThoughContainersChangeTheirNodes() throws Exception {
        fill();
        try (Consumer<String> from = consumer("in").subscribe();
                Producer<String> to = producer("out")) {
            for (int n = 0; n < 5 * HAND_OVERS || !isAllAcknowledged(); n++) {
                if (n % 5 == 4 && n < 5 * HAND_OVERS) {
                    handOver(n / 5 % 2);
                }
                Message<String> next = from.receive(1, TimeUnit.SECONDS);
                if (next != null) {
                    copy(next, from, to, n % 4 != 1);
                }
            }
        }
        checkCopied();
    }

    private void handOver(int container) {
        int from = Objects.requireNonNull(nodes.of(1).ownerOf(container)).id();
        nodes.handOver(container);
        started.get(from - 1).authority.containerStopped(container);
        started.get(2 - from).authority.containerServing(container);
    }
}
