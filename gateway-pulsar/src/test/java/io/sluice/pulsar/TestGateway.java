package io.sluice.pulsar;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.compaction.ViewCompactionQueue;
import io.sluice.broker.group.TopicGroups;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.quota.ClientQuotas;
import io.sluice.broker.quota.ClientRates;
import io.sluice.broker.scaling.ScaleTargets;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.dispatch.CompactedReads;
import io.sluice.pulsar.format.KeyedMessages;
import io.sluice.pulsar.registry.SchemaServices;
import io.sluice.transactions.TransactionAuthority;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;

/** A gateway over a {@link TestBroker}, and clients for it. */
public final class TestGateway implements AutoCloseable {
    private final TestBroker broker;
    private final UnaryOperator<PulsarGatewayConfig> settings;
    private final Authorizer authorizer;
    private final ClientQuotas quotas;
    private PulsarGateway gateway;
    private ViewCompactionQueue views;
    private TransactionAuthority transactions;
    private SchemaServices schemas;
    private int port;

    private TestGateway(TestBroker broker, UnaryOperator<PulsarGatewayConfig> settings, Authorizer authorizer) {
        this.settings = settings;
        this.authorizer = authorizer;
        this.broker = broker;
        this.quotas =
                new ClientQuotas(broker.metadata(), task -> Thread.ofVirtual().start(task));
        this.transactions = TestTransactions.over(broker);
        this.views = views(broker);
        this.schemas = schemas(broker);
        this.gateway = open(0);
    }

    /** What compacts topics of this broker, as it is now. */
    public static ViewCompactionQueue views(TestBroker broker) {
        return new ViewCompactionQueue(
                broker.compaction(1 << 20, System::currentTimeMillis),
                CompactedReads.SUBSCRIPTION,
                List.of(KeyedMessages.FORMAT));
    }

    private static SchemaServices schemas(TestBroker broker) {
        return SchemaServices.open(
                broker.metadata(),
                broker.catalogue(),
                (name, task) -> Thread.ofVirtual().name(name).start(task));
    }

    public static TestGateway start() {
        return start(c -> c);
    }

    /** Over partitions whose reads are answered late, by another thread. */
    public static TestGateway readingElsewhere() {
        return new TestGateway(TestBroker.start().readingElsewhere(), c -> c, Authorizer.ALLOW_ALL);
    }

    public static TestGateway start(UnaryOperator<PulsarGatewayConfig> settings) {
        return new TestGateway(TestBroker.start(), settings, Authorizer.ALLOW_ALL);
    }

    /** The broker is closed with it. */
    public static TestGateway over(TestBroker broker) {
        return new TestGateway(broker, c -> c, Authorizer.ALLOW_ALL);
    }

    public static TestGateway start(Authorizer authorizer) {
        return new TestGateway(TestBroker.start(), c -> c, authorizer);
    }

    public static TestGateway start(Authorizer authorizer, ListenerSecurity security) {
        return new TestGateway(TestBroker.start(), c -> secured(c, security), authorizer);
    }

    /** The settings with a listener that asks who its clients are. */
    public static PulsarGatewayConfig secured(PulsarGatewayConfig c, ListenerSecurity security) {
        return new PulsarGatewayConfig(
                c.host(),
                c.port(),
                c.advertisedHost(),
                c.advertisedPort(),
                c.listeners(),
                c.httpUrl(),
                c.clusterName(),
                c.instance(),
                c.topics(),
                c.deduplication(),
                c.compactionThreshold(),
                c.limits(),
                security);
    }

    private PulsarGateway open(int at) {
        String instance = "test-" + UUID.randomUUID();
        PulsarGateway opened = new PulsarGateway(
                settings.apply(PulsarGatewayConfig.defaults("127.0.0.1", at, instance)),
                new Backend(
                        broker.catalogue(),
                        broker.partitions(),
                        broker.metadata(),
                        (name, task) -> Thread.ofVirtual().name(name).start(task),
                        authorizer,
                        new SingleNode("test", 1),
                        broker.scalableTopics(),
                        ScaleTargets.DEFAULT,
                        views,
                        transactions.singles(),
                        TopicGroups.NONE,
                        new ClientRates(quotas, System::nanoTime),
                        schemas),
                new SimpleMeterRegistry());
        try {
            port = opened.start();
        } catch (PulsarGatewayException e) {
            throw new IllegalStateException(e);
        }
        return opened;
    }

    /** As a crash and the next start, on the same port. */
    public void restart() {
        gateway.close();
        schemas.close();
        views.close();
        transactions.close();
        broker.restart();
        transactions = TestTransactions.over(broker);
        views = views(broker);
        schemas = schemas(broker);
        gateway = open(port);
    }

    SchemaServices schemas() {
        return schemas;
    }

    public TestBroker broker() {
        return broker;
    }

    public ClientQuotas quotas() {
        return quotas;
    }

    public TransactionAuthority transactions() {
        return transactions;
    }

    public PulsarGateway gateway() {
        return gateway;
    }

    public int port() {
        return port;
    }

    public PulsarClient client() throws PulsarClientException {
        return PulsarClients.builder("pulsar://127.0.0.1:" + port).build();
    }

    @Override
    public void close() {
        gateway.close();
        schemas.close();
        views.close();
        transactions.close();
        quotas.close();
        broker.close();
    }
}
