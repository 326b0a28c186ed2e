package io.sluice.pulsar;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.Broker;
import io.sluice.broker.DirectPeers;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TwoNodes;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.compaction.ViewCompactionQueue;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.scalable.ScalableTopics;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.transactions.TransactionAuthority;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Gateways of {@link TwoNodes}, 1 and 2, over one broker with topics {@code t} of four partitions, {@code plain0} and {@code plain1}: each of
 * the latter two is another node's.
 */
final class TwoGateways implements AutoCloseable {
    static final int PARTITIONS = 4;

    final TestBroker broker = TestBroker.start();
    final TransactionAuthority transactions = TestTransactions.over(broker);
    final TwoNodes nodes = new TwoNodes(broker);
    final DirectPeers peers = new DirectPeers();
    private final ViewCompactionQueue views = TestGateway.views(broker);
    private final List<PulsarGateway> started = new ArrayList<>();
    private final int[] ports = new int[2];
    private final String scheme;
    private final ListenerSecurity security;

    TwoGateways() throws PulsarGatewayException {
        this("http", ListenerSecurity.OPEN);
    }

    /**
     * @param scheme of the HTTP of both nodes
     * @param security of both listeners for Pulsar's clients
     */
    TwoGateways(String scheme, ListenerSecurity security) throws PulsarGatewayException {
        this.scheme = scheme;
        this.security = security;
        broker.createTopic(TopicName.ofDefault("t"), PARTITIONS, true);
        for (int plain = 0; plain < 2; plain++) {
            broker.createTopic(TopicName.ofDefault("plain" + plain), 1, false);
        }
        ports[0] = start(1, nodes, Map.of());
        ports[1] = start(2, nodes, Map.of());
        for (int node = 1; node <= 2; node++) {
            gateway(node).answerOthers(peers.handlers(node));
        }
    }

    /** A gateway more, of the node as {@code seen} shows it. Gives its port. */
    int start(int id, TwoNodes seen, Map<String, String> listeners) throws PulsarGatewayException {
        PulsarGateway gateway =
                gateway(id, listeners, broker.catalogue(), seen.partitionsOf(id), seen.of(id), broker.scalableTopics());
        gateway.answerOthers(seen.beginSteps(id));
        return gateway.start();
    }

    /** A gateway more, of the second node, which sees topics as {@code other} does; it serves all partitions. */
    PulsarGateway startOver(Broker other) throws PulsarGatewayException {
        PulsarGateway gateway =
                gateway(2, Map.of(), other.catalogue(), other.partitions(), nodes.of(2), other.scalableTopics());
        gateway.start();
        return gateway;
    }

    private PulsarGateway gateway(
            int id,
            Map<String, String> listeners,
            TopicCatalogue catalogue,
            Partitions partitions,
            Cluster cluster,
            ScalableTopics scalable) {
        PulsarGatewayConfig usual = PulsarGatewayConfig.defaults("127.0.0.1", 0, "node" + id);
        PulsarGateway gateway = new PulsarGateway(
                new PulsarGatewayConfig(
                        usual.host(),
                        usual.port(),
                        usual.advertisedHost(),
                        usual.advertisedPort(),
                        listeners,
                        usual.httpUrl().replace("http:", scheme + ":"),
                        usual.clusterName(),
                        usual.instance(),
                        usual.topics(),
                        usual.deduplication(),
                        usual.compactionThreshold(),
                        usual.limits(),
                        security),
                new Backend(
                        catalogue,
                        partitions,
                        broker.metadata(),
                        (name, task) -> Thread.ofVirtual().name(name).start(task),
                        Authorizer.ALLOW_ALL,
                        cluster,
                        scalable,
                        views,
                        transactions.singles()),
                new SimpleMeterRegistry());
        started.add(gateway);
        return gateway;
    }

    PulsarGateway gateway(int node) {
        return started.get(node - 1);
    }

    int port(int node) {
        return ports[node - 1];
    }

    Topic topic(String name) {
        return Objects.requireNonNull(broker.catalogue().find(TopicName.ofDefault(name)));
    }

    /** Container of the topic's first partition. */
    int containerOf(String topic) {
        return topic(topic).partitions().getFirst().container();
    }

    /** Node that serves the topic's first partition. */
    int ownerOf(String topic) {
        return ownerOf(containerOf(topic));
    }

    int ownerOf(int container) {
        return Objects.requireNonNull(nodes.of(1).ownerOf(container)).id();
    }

    static int other(int node) {
        return 3 - node;
    }

    @Override
    public void close() {
        started.forEach(PulsarGateway::close);
        views.close();
        transactions.close();
        broker.close();
    }
}
