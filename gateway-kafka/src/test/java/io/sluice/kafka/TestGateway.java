package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.identity.DelegationTokens;
import io.sluice.broker.identity.Users;
import io.sluice.broker.quota.ClientQuotas;
import io.sluice.broker.quota.ClientRates;
import io.sluice.broker.topic.WriteGate;
import io.sluice.kafka.acl.AclHandlers;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.connection.ConnectionLimits;
import io.sluice.kafka.handler.TopicPolicy;
import io.sluice.kafka.quota.QuotaHandlers;
import io.sluice.kafka.sasl.AlterUserScramCredentialsHandler;
import io.sluice.kafka.sasl.DelegationTokenHandlers;
import io.sluice.kafka.sasl.DescribeUserScramCredentialsHandler;
import io.sluice.store.cluster.InMemoryMetadata;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A gateway over a broker in memory, and stock clients for it. */
final class TestGateway implements AutoCloseable {
    final TestBroker broker;
    final KafkaGateway gateway;
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final InMemoryMetadata metadata = new InMemoryMetadata();
    final ClientQuotas quotas =
            new ClientQuotas(metadata, task -> Thread.ofVirtual().start(task));
    final int port;
    /** Milliseconds by which the gateway's clock is ahead of the time. */
    final AtomicLong clockAhead = new AtomicLong();

    TestGateway() throws GatewayStartException {
        this(ConnectionLimits.defaults());
    }

    /** Over partitions whose reads are answered late, by another thread. */
    static TestGateway readingElsewhere() throws GatewayStartException {
        return new TestGateway(
                TestBroker.start().readingElsewhere(),
                cluster(),
                config(ConnectionLimits.defaults()),
                List.of(),
                1,
                Authorizer.ALLOW_ALL);
    }

    /** @param writes keeps producers out of topics */
    static TestGateway with(WriteGate writes) throws GatewayStartException {
        return new TestGateway(
                TestBroker.start(),
                cluster(),
                config(ConnectionLimits.defaults()),
                List.of(),
                1,
                Authorizer.ALLOW_ALL,
                writes);
    }

    TestGateway(ConnectionLimits limits) throws GatewayStartException {
        this(limits, List.of());
    }

    /** @param more APIs of the test's own */
    TestGateway(ConnectionLimits limits, List<? extends Api> more) throws GatewayStartException {
        this(TestBroker.start(), cluster(), config(limits), more, 1, Authorizer.ALLOW_ALL);
    }

    /** @param copies that the log is said to keep */
    TestGateway(ConnectionLimits limits, int copies) throws GatewayStartException {
        this(TestBroker.start(), cluster(), config(limits), List.of(), copies, Authorizer.ALLOW_ALL);
    }

    TestGateway(Authorizer authorizer) throws GatewayStartException {
        this(TestBroker.start(), cluster(), config(ConnectionLimits.defaults()), List.of(), 1, authorizer);
    }

    /** @param listeners of which {@link #port} is the first one's */
    TestGateway(List<KafkaGatewayConfig.Listener> listeners, Authorizer authorizer, Users users)
            throws GatewayStartException {
        this(listeners, authorizer, users, null, null);
    }

    /** @param rules that the authorizer goes by; null if it has none */
    TestGateway(
            List<KafkaGatewayConfig.Listener> listeners,
            Authorizer authorizer,
            Users users,
            @Nullable AccessRules rules)
            throws GatewayStartException {
        this(listeners, authorizer, users, rules, null);
    }

    /** @param tokens delegation tokens; null without their APIs */
    TestGateway(
            List<KafkaGatewayConfig.Listener> listeners,
            Authorizer authorizer,
            Users users,
            @Nullable AccessRules rules,
            @Nullable DelegationTokens tokens)
            throws GatewayStartException {
        this(
                TestBroker.start(),
                cluster(),
                new KafkaGatewayConfig(
                        listeners.getFirst(),
                        listeners.subList(1, listeners.size()),
                        2,
                        ConnectionLimits.defaults(),
                        config(ConnectionLimits.defaults()).topics(),
                        config(ConnectionLimits.defaults()).sessions()),
                users,
                authorizer,
                rules,
                tokens);
    }

    private TestGateway(
            TestBroker broker,
            Cluster cluster,
            KafkaGatewayConfig config,
            Users users,
            Authorizer authorizer,
            @Nullable AccessRules rules,
            @Nullable DelegationTokens tokens)
            throws GatewayStartException {
        this.broker = broker;
        KafkaServices services = services(broker, cluster, 1, authorizer);
        List<Api> more = new ArrayList<>(AclHandlers.of(services, rules));
        more.addAll(QuotaHandlers.of(services, quotas));
        more.add(new AlterUserScramCredentialsHandler(services, users));
        more.add(new DescribeUserScramCredentialsHandler(services, users));
        if (tokens != null) {
            more.addAll(DelegationTokenHandlers.of(services, tokens));
        }
        gateway = new KafkaGateway(config, services, more, registry);
        port = gateway.start();
    }

    /** @param bytes of the heap that fetches may wait in */
    static TestGateway withFetchWaits(long bytes) throws GatewayStartException {
        KafkaGatewayConfig usual = config(ConnectionLimits.defaults());
        var sessions = new KafkaGatewayConfig.Sessions(
                usual.sessions().maxSessions(), usual.sessions().maxPartitions(), bytes);
        return new TestGateway(
                TestBroker.start(),
                cluster(),
                new KafkaGatewayConfig(usual.listener(), usual.ioThreads(), usual.limits(), usual.topics(), sessions),
                List.of(),
                1,
                Authorizer.ALLOW_ALL);
    }

    private static KafkaGatewayConfig config(ConnectionLimits limits) {
        KafkaGatewayConfig local = KafkaGatewayConfig.local(0);
        return new KafkaGatewayConfig(
                local.listener(),
                2,
                limits,
                new TopicPolicy(true, 3, 8 << 20, true, 55 << 20, TopicPolicy.Retention.DEFAULT),
                local.sessions());
    }

    private static Cluster cluster() {
        return new SingleNode("test-cluster-id-000000", 1);
    }

    private TestGateway(
            TestBroker broker,
            Cluster cluster,
            KafkaGatewayConfig config,
            List<? extends Api> more,
            int copies,
            Authorizer authorizer)
            throws GatewayStartException {
        this(broker, cluster, config, more, copies, authorizer, WriteGate.open());
    }

    private TestGateway(
            TestBroker broker,
            Cluster cluster,
            KafkaGatewayConfig config,
            List<? extends Api> more,
            int copies,
            Authorizer authorizer,
            WriteGate writes)
            throws GatewayStartException {
        this.broker = broker;
        KafkaServices services = services(broker, cluster, copies, authorizer).with(writes);
        List<Api> all = new ArrayList<>(more);
        all.addAll(QuotaHandlers.of(services, quotas));
        gateway = new KafkaGateway(config, services, all, registry);
        port = gateway.start();
    }

    private KafkaServices services(TestBroker broker, Cluster cluster, int copies, Authorizer authorizer) {
        AtomicLong producerIds = new AtomicLong(1000);
        return new KafkaServices(
                        broker.catalogue(),
                        broker.partitions(),
                        producerIds::getAndIncrement,
                        task -> Thread.ofVirtual().start(task),
                        () -> System.currentTimeMillis() + clockAhead.get(),
                        cluster,
                        copies,
                        new KafkaAccess(broker.catalogue(), authorizer))
                .with(new ClientRates(quotas, System::nanoTime));
    }

    Map<String, Object> clientSettings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", "127.0.0.1:" + port);
        return settings;
    }

    KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> settings = clientSettings();
        settings.put("delivery.timeout.ms", 20_000);
        settings.put("request.timeout.ms", 10_000);
        settings.put("max.request.size", 10 << 20);
        settings.putAll(more);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> more) {
        Map<String, Object> settings = clientSettings();
        settings.put("auto.offset.reset", "none");
        settings.putAll(more);
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    Admin admin() {
        return Admin.create(clientSettings());
    }

    /** Bytes of requests that are under way. */
    long requestMemoryUsed() {
        return gateway.requestMemoryUsed();
    }

    @Override
    public void close() {
        gateway.close();
        broker.finishReadsElsewhere();
        int lent = broker.containers().lentBuffers();
        broker.close();
        metadata.close();
        assertThat(lent).as("log slices that were not released").isZero();
        assertThat(gateway.requestMemoryUsed()).isZero();
    }
}
