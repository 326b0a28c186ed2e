package io.sluice.kafka.transaction;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.compaction.CompactionScheduler;
import io.sluice.broker.group.GroupConfigs;
import io.sluice.broker.identity.DelegationTokens;
import io.sluice.broker.identity.Users;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.quota.ClientQuotas;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.KafkaCoordinators;
import io.sluice.kafka.KafkaGateway;
import io.sluice.kafka.KafkaGatewayConfig;
import io.sluice.kafka.acl.AclHandlers;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.coordinator.GroupSettings;
import io.sluice.kafka.format.KeyedBatches;
import io.sluice.kafka.quota.QuotaHandlers;
import io.sluice.kafka.sasl.AlterUserScramCredentialsHandler;
import io.sluice.kafka.sasl.DelegationTokenHandlers;
import io.sluice.kafka.sasl.DescribeUserScramCredentialsHandler;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/** A gateway with groups and transactions over a broker in memory, and stock clients for it. */
public final class TransactionServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final TestBroker broker = TestBroker.start();
    private final KafkaCoordinators coordinators;
    private final KafkaGateway gateway;
    private final int port;
    private final AtomicLong passed = new AtomicLong();
    private final CompactionScheduler compaction;
    private final TransactionAuthority authority;
    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final GroupConfigs configs;

    public TransactionServer() throws Exception {
        this(GroupSettings.DEFAULT, TransactionSettings.DEFAULT);
    }

    public TransactionServer(GroupSettings groups, TransactionSettings transactions) throws Exception {
        this(groups, transactions, Authorizer.ALLOW_ALL, null);
    }

    /** @param users whose credentials can be changed, as access rules can be; null for neither */
    public TransactionServer(
            GroupSettings groups, TransactionSettings transactions, Authorizer authorizer, @Nullable Users users)
            throws Exception {
        AtomicLong producerIds = new AtomicLong(1000);
        KafkaServices services = new KafkaServices(
                broker.catalogue(),
                broker.partitions(),
                producerIds::getAndIncrement,
                task -> Thread.ofVirtual().start(task),
                System::currentTimeMillis,
                new SingleNode("test-cluster-id-000000", 1),
                1,
                new KafkaAccess(broker.catalogue(), authorizer));
        authority = TransactionAuthority.open(
                transactions,
                new TransactionAuthority.Environment(
                        services.topics(),
                        services.partitions(),
                        services.producerIds(),
                        services.blocking(),
                        services.clock()));
        coordinators = KafkaCoordinators.start(authority, groups, services, Time.SYSTEM);
        List<Api> handlers = new ArrayList<>(coordinators.handlers());
        if (users != null) {
            handlers.addAll(DelegationTokenHandlers.of(
                    coordinators.services(),
                    new DelegationTokens(
                            new InMemoryMetadata(),
                            services.blocking(),
                            "",
                            new DelegationTokens.Lifetimes(1, 1),
                            services.clock())));
            handlers.addAll(AclHandlers.of(coordinators.services(), null));
            handlers.addAll(QuotaHandlers.of(
                    coordinators.services(), new ClientQuotas(new InMemoryMetadata(), services.blocking())));
            handlers.add(new AlterUserScramCredentialsHandler(coordinators.services(), users));
            handlers.add(new DescribeUserScramCredentialsHandler(coordinators.services(), users));
        }
        configs = new GroupConfigs(metadata, services.blocking());
        configs.load();
        gateway = new KafkaGateway(
                KafkaGatewayConfig.local(0),
                coordinators.services().with(coordinators.groups().configurations(configs)),
                handlers,
                coordinators.groups().shares(),
                new SimpleMeterRegistry());
        port = gateway.start();
        compaction = broker.compaction(
                List.of(KeyedBatches.FORMAT), 1 << 20, () -> System.currentTimeMillis() + passed.get());
    }

    TestBroker broker() {
        return broker;
    }

    public int port() {
        return port;
    }

    TransactionAuthority authority() {
        return authority;
    }

    /** A round; how many partitions were compacted. */
    int compact() throws InterruptedException {
        return compaction.round();
    }

    /** As {@link #compact}, with the logs of coordinators. */
    int compactAll() throws InterruptedException {
        return broker.compactionOfAll(List.of(KeyedBatches.FORMAT), 1 << 20, System::currentTimeMillis)
                .round();
    }

    /** For compaction. */
    void timePasses(long millis) {
        passed.addAndGet(millis);
    }

    int companions() {
        return broker.companions().all().size();
    }

    private PartitionLog first(String topic) {
        return Objects.requireNonNull(broker.partitions().find(TopicName.ofDefault(topic), 0));
    }

    /** Of the topic's first partition. */
    <T> T onLoop(String topic, Function<PartitionLog, T> question) {
        PartitionLog log = first(topic);
        return broker.onLoop(log, () -> question.apply(log));
    }

    long end(String topic) {
        return broker.onLoop(first(topic), first(topic)::durableEnd);
    }

    long storedBytes(String topic) {
        return broker.onLoop(first(topic), first(topic)::sizeBytes);
    }

    public Uuid id(String topic) {
        return KafkaServices.kafkaId(Objects.requireNonNull(broker.catalogue().find(TopicName.ofDefault(topic))));
    }

    public void create(String topic, int partitions) {
        broker.createTopic(TopicName.ofDefault(topic), partitions, true);
    }

    /** Records of an internal topic of one partition that are not deleted. */
    long records(String topic) {
        PartitionLog log = Objects.requireNonNull(broker.partitions().find(TopicName.ofDefault(topic), 0));
        return broker.onLoop(log, () -> log.sequencedEnd() - log.startOffset());
    }

    Topic topic(String name) {
        return Objects.requireNonNull(broker.catalogue().find(TopicName.ofDefault(name)));
    }

    /** Returns when clients find the partition there. */
    void move(String topic, int partition, int container) {
        broker.catalogue()
                .move(TopicName.ofDefault(topic), partition, container)
                .join();
    }

    /** The terms of all containers end and the next begin, under the clients' feet. */
    void restartContainers() {
        for (int container : broker.containers().all()) {
            broker.containers().stop(container);
            coordinators.containerStopped(container);
            broker.containers().start(container);
            coordinators.containerServing(container);
        }
    }

    KafkaProducer<String, String> plainProducer(Map<String, Object> more) {
        return new KafkaProducer<>(client(more), new StringSerializer(), new StringSerializer());
    }

    private Map<String, Object> client(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", "127.0.0.1:" + port);
        settings.putAll(more);
        return settings;
    }

    public Admin admin() {
        return Admin.create(client(Map.of()));
    }

    KafkaProducer<String, String> producer(String transactionalId) {
        return producer(transactionalId, Map.of());
    }

    KafkaProducer<String, String> producer(String transactionalId, Map<String, Object> more) {
        Map<String, Object> settings = client(more);
        settings.put("transactional.id", transactionalId);
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    KafkaConsumer<String, String> consumer(Map<String, Object> more) {
        Map<String, Object> settings = client(Map.of("auto.offset.reset", "earliest", "enable.auto.commit", false));
        settings.putAll(more);
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    /** Values of a partition up to its last stable offset, or its end. */
    List<String> read(String topic, int partition, String isolation) {
        return records(topic, partition, isolation).stream()
                .map(ConsumerRecord::value)
                .toList();
    }

    /** As {@link #read}. */
    List<ConsumerRecord<String, String>> records(String topic, int partition, String isolation) {
        TopicPartition tp = new TopicPartition(topic, partition);
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = consumer(Map.of("isolation.level", isolation))) {
            consumer.assign(List.of(tp));
            long end = Objects.requireNonNull(consumer.endOffsets(List.of(tp)).get(tp));
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (consumer.position(tp) < end) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("read up to " + consumer.position(tp) + " of " + end);
                }
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
                    records.add(record);
                }
            }
        }
        return records;
    }

    @Override
    public void close() {
        gateway.close();
        configs.close();
        metadata.close();
        coordinators.close();
        broker.close();
    }
}
