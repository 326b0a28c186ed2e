package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TwoNodes;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.transactions.TransactionAuthority;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.TcAssignment;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that know one of two nodes find what the other one serves. */
@Timeout(60)
class TwoNodesTest {
    private static final int PARTITIONS = 4;

    private final TestBroker broker = TestBroker.start();
    private final TransactionAuthority transactions = TestTransactions.over(broker);
    private final TwoNodes nodes = new TwoNodes(broker);
    private final List<PulsarGateway> started = new ArrayList<>();
    private int first;
    private int second;

    @BeforeEach
    void start() throws Exception {
        broker.createTopic(TopicName.ofDefault("t"), PARTITIONS, true);
        for (int plain = 0; plain < 2; plain++) {
            broker.createTopic(TopicName.ofDefault("plain" + plain), 1, false);
        }
        first = start(1);
        second = start(2);
    }

    private int start(int id) throws Exception {
        PulsarGateway gateway = new PulsarGateway(
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
                        transactions.singles()),
                new SimpleMeterRegistry());
        started.add(gateway);
        return gateway.start();
    }

    @AfterEach
    void close() {
        started.forEach(PulsarGateway::close);
        transactions.close();
        broker.close();
    }

    @Test
    void aClientOfOneNodeWritesAndReadsWhatBothServe() throws Exception {
        try (PulsarClient client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + first)
                .operationTimeout(20, TimeUnit.SECONDS)
                .build()) {
            for (String topic : List.of("t", "plain0", "plain1")) {
                Set<String> sent = new TreeSet<>();
                Set<String> read = new TreeSet<>();
                try (Consumer<String> consumer = client.newConsumer(Schema.STRING)
                                .topic(topic)
                                .subscriptionName("s")
                                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                                .subscribe();
                        Producer<String> producer = client.newProducer(Schema.STRING)
                                .topic(topic)
                                .enableBatching(false)
                                .create()) {
                    for (int i = 0; i < 4 * PARTITIONS; i++) {
                        producer.send("m" + i);
                        sent.add("m" + i);
                    }
                    while (read.size() < sent.size()) {
                        Message<String> message = consumer.receive(20, TimeUnit.SECONDS);
                        assertThat(message).as("read so far: %s", read).isNotNull();
                        read.add(message.getValue());
                        consumer.acknowledge(message);
                    }
                }
                assertThat(read).isEqualTo(sent);
            }
        }
    }

    private static Map<Long, Integer> coordinators(RawClient client) throws IOException {
        var snapshot = client.expect(BaseCommand.Type.WATCH_TC_ASSIGNMENTS_UPDATE)
                .getWatchTcAssignmentsUpdate()
                .getSnapshot();
        Map<Long, Integer> ports = new TreeMap<>();
        for (TcAssignment each : snapshot.getAssignmentsList()) {
            ports.put(each.getTcId(), URI.create(each.getBrokerServiceUrl()).getPort());
        }
        assertThat(ports).hasSize(snapshot.getParallelism());
        return ports;
    }

    @Test
    void whoWatchesTheCoordinatorsIsToldWhenOneMoves() throws Exception {
        TopicName state = TopicName.ofDefault(TransactionAuthority.STATE_TOPIC);
        List<Topic.Placement> placed =
                Objects.requireNonNull(broker.catalogue().find(state)).partitions();
        Map<Long, Integer> expected = new TreeMap<>();
        for (int i = 0; i < placed.size(); i++) {
            expected.put((long) i, placed.get(i).container() % 2 == 0 ? first : second);
        }
        assertThat(expected).containsValues(first, second);
        try (RawClient client = RawClient.connect(second)) {
            client.write(Commands.newWatchTcAssignments(5));
            assertThat(coordinators(client)).isEqualTo(expected);
            int from = placed.get(3).container();
            broker.catalogue().move(state, 3, 1 - from).join();
            expected.put(3L, from % 2 == 0 ? second : first);
            assertThat(coordinators(client)).isEqualTo(expected);
        }
    }

    @Test
    void aNodeWhosePortIsNotKnownIsWaitedFor() throws Exception {
        var alone = new TwoNodes(broker);
        PulsarGateway gateway = new PulsarGateway(
                PulsarGatewayConfig.defaults("127.0.0.1", 0, "alone"),
                new Backend(
                        broker.catalogue(),
                        alone.partitionsOf(1),
                        broker.metadata(),
                        (name, task) -> Thread.ofVirtual().name(name).start(task),
                        Authorizer.ALLOW_ALL,
                        alone.of(1),
                        broker.scalableTopics(),
                        TestGateway.views(broker),
                        transactions.singles()),
                new SimpleMeterRegistry());
        started.add(gateway);
        int port = gateway.start();
        try (PulsarClient client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + port)
                .operationTimeout(20, TimeUnit.SECONDS)
                .build()) {
            var creating = client.newProducer(Schema.STRING).topic("t").createAsync();
            alone.of(2).advertise(ClusterNode.PULSAR, new Endpoint("127.0.0.1", second));
            try (Producer<String> producer = creating.get(20, TimeUnit.SECONDS)) {
                assertThat(producer.send("late")).isNotNull();
            }
        }
    }
}
