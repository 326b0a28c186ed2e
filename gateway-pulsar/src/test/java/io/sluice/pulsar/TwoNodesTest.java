package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TwoNodes;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.transactions.TransactionAuthority;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
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
