package io.sluice.pulsar.fuzz;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.memory.RequestMemory;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.Backend;
import io.sluice.pulsar.PulsarGateway;
import io.sluice.pulsar.TestGateway;
import io.sluice.pulsar.TestTransactions;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.testing.fuzz.FuzzedServer;
import io.sluice.transactions.TransactionAuthority;
import org.apache.pulsar.common.api.proto.BaseCommand;

/** A whole gateway over a broker in memory. */
final class FuzzedPulsar implements FuzzedServer {
    private final TestBroker broker = TestBroker.start();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RequestMemory memory;
    private final TransactionAuthority transactions = TestTransactions.over(broker);
    private final PulsarGateway gateway;
    private final int port;
    private final PulsarNeighbour neighbour;

    FuzzedPulsar() throws Exception {
        this(ListenerSecurity.OPEN, Authorizer.ALLOW_ALL, CommandMaker.connect());
    }

    /** @param connect of a client that is let in */
    FuzzedPulsar(ListenerSecurity security, Authorizer authorizer, BaseCommand connect) throws Exception {
        PulsarGatewayConfig config =
                TestGateway.secured(PulsarGatewayConfig.defaults("127.0.0.1", 0, "fuzz"), security);
        memory = RequestMemory.withShares(config.limits().publishBytes());
        gateway = new PulsarGateway(
                config,
                new Backend(
                        broker.catalogue(),
                        broker.partitions(),
                        broker.metadata(),
                        (name, task) -> Thread.ofVirtual().name(name).start(task),
                        authorizer,
                        new SingleNode("test", 1),
                        broker.scalableTopics(),
                        TestGateway.views(broker),
                        transactions.singles()),
                memory,
                registry);
        port = gateway.start();
        for (int i = 0; i < PulsarKnown.TOPICS; i++) {
            boolean partitioned = i == PulsarKnown.TOPICS - 1;
            broker.createTopic(TopicName.ofDefault("f" + i), partitioned ? 2 : 1, partitioned);
        }
        neighbour = new PulsarNeighbour(port, connect);
    }

    int port() {
        return port;
    }

    @Override
    public int play(long seed) throws Exception {
        return new PulsarSequence(seed).play(port);
    }

    @Override
    public void neighbour() throws Exception {
        neighbour.roundTrip();
    }

    @Override
    public void neighbourLeaves() throws Exception {
        neighbour.readAll();
        neighbour.close();
    }

    @Override
    public long requestMemoryUsed() {
        return memory.used();
    }

    @Override
    public int openConnections() {
        return (int) registry.get("sluice.pulsar.connections").gauge().value();
    }

    @Override
    public void close() {
        gateway.close();
        transactions.close();
        int lent = broker.containers().lentBuffers();
        broker.close();
        if (lent != 0) {
            throw new AssertionError(lent + " slices of the log were not released");
        }
    }
}
