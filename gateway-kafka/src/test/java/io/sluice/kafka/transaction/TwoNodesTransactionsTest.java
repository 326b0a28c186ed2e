package io.sluice.kafka.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.DirectPeers;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TwoNodes;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.KafkaCoordinators;
import io.sluice.kafka.KafkaGateway;
import io.sluice.kafka.KafkaGatewayConfig;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.coordinator.GroupSettings;
import io.sluice.store.segment.Durable;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionSettings;
import io.sluice.transactions.peer.PeerTransactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stock client's transactions over two nodes, each of which has half of the partitions, groups and coordinators. */
@Timeout(120)
class TwoNodesTransactionsTest {
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 200;
    private static final int HAND_OVERS = 12;

    private static final GroupSettings SETTINGS = withoutDelay(GroupSettings.DEFAULT);

    /** Not a multiple of the steps of a transaction. */
    private static final int STEPS_BETWEEN = 7;

    private static final TopicPartition FROM = new TopicPartition("from", 0);

    private final TestBroker broker = TestBroker.start();
    private final TwoNodes nodes = new TwoNodes(broker);
    private final DirectPeers peers = new DirectPeers();
    private final AtomicLong producerIds = new AtomicLong(1000);
    private final List<Node> started = new ArrayList<>();

    private static GroupSettings withoutDelay(GroupSettings usual) {
        return new GroupSettings(
                usual.offsetsPartitions(),
                Duration.ZERO,
                usual.minSessionTimeout(),
                usual.maxSessionTimeout(),
                usual.consumerHeartbeat(),
                usual.shareHeartbeat(),
                usual.shareLock(),
                usual.offsetsRetention(),
                usual.retentionCheckInterval(),
                usual.maxGroupSize(),
                usual.writeTimeout());
    }

    private final class Node {
        private final PeerTransactions remote;
        private final KafkaCoordinators coordinators;
        private final KafkaGateway gateway;
        private final int port;

        Node(int id) throws Exception {
            Cluster cluster = nodes.of(id);
            var services = new KafkaServices(
                    broker.catalogue(),
                    nodes.partitionsOf(id),
                    producerIds::getAndIncrement,
                    task -> Thread.ofVirtual().start(task),
                    System::currentTimeMillis,
                    cluster);
            remote = new PeerTransactions(cluster, peers.of(id));
            TransactionAuthority authority = TransactionAuthority.open(
                    TransactionSettings.DEFAULT,
                    new TransactionAuthority.Environment(
                            services.topics(),
                            services.partitions(),
                            services.producerIds(),
                            services.blocking(),
                            services.clock(),
                            remote));
            PeerTransactions.answer(peers.handlers(id), authority.local(), nodes.containersOf(id));
            coordinators = KafkaCoordinators.start(authority, SETTINGS, services, Time.SYSTEM);
            coordinators.answerOthers(nodes.beginSteps(id));
            gateway = new KafkaGateway(
                    KafkaGatewayConfig.local(0),
                    coordinators.services(),
                    coordinators.handlers(),
                    new SimpleMeterRegistry());
            port = gateway.start();
        }

        void close() {
            gateway.close();
            coordinators.close();
            remote.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        broker.createTopic("from", 1);
        broker.createTopic("to", PARTITIONS);
        started.add(new Node(1));
        started.add(new Node(2));
    }

    @AfterEach
    void close() {
        started.forEach(Node::close);
        broker.close();
    }

    private Map<String, Object> settings(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", "127.0.0.1:" + started.getFirst().port);
        return settings;
    }

    private KafkaProducer<String, String> producer(Map<String, Object> more) {
        return new KafkaProducer<>(settings(more), new StringSerializer(), new StringSerializer());
    }

    private KafkaConsumer<String, String> consumer(Map<String, Object> more) {
        Map<String, Object> settings = settings(more);
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", false);
        settings.put("isolation.level", "read_committed");
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    /** Container of the partition that the id belongs to. */
    private int containerOf(String internalTopic, String id) {
        Topic topic = Objects.requireNonNull(broker.catalogue().find(TopicName.ofDefault(internalTopic)));
        return topic.partitions()
                .get(Utils.abs(id.hashCode()) % topic.partitions().size())
                .container();
    }

    /** Name of which this node is the coordinator. */
    private String at(int node, String internalTopic) {
        return IntStream.range(0, 100)
                .mapToObj(i -> "id-" + i)
                .filter(id -> containerOf(internalTopic, id) % 2 == node - 1)
                .findFirst()
                .orElseThrow();
    }

    private void fill() {
        try (KafkaProducer<String, String> producer = producer(Map.of())) {
            IntStream.range(0, RECORDS).forEach(i -> producer.send(new ProducerRecord<>("from", "" + i)));
        }
    }

    /**
     * Copies in transactions, and aborts some, until all is copied.
     *
     * @param step called some times in each transaction; false while it is not to end
     */
    private void copy(String id, String group, BooleanSupplier step) {
        try (KafkaProducer<String, String> producer = producer(Map.of("transactional.id", id));
                KafkaConsumer<String, String> consumer = consumer(Map.of("group.id", group, "max.poll.records", 10))) {
            consumer.subscribe(List.of("from"));
            producer.initTransactions();
            int copied = 0;
            for (int n = 0; !step.getAsBoolean() || copied < RECORDS; n++) {
                ConsumerRecords<String, String> batch = consumer.poll(Duration.ofMillis(50));
                producer.beginTransaction();
                if (n % 4 == 1) {
                    IntStream.range(0, PARTITIONS)
                            .forEach(p -> producer.send(new ProducerRecord<>("to", p, "k", "aborted")));
                    producer.flush();
                    producer.abortTransaction();
                    producer.beginTransaction();
                }
                for (ConsumerRecord<String, String> each : batch) {
                    int to = (int) (each.offset() % PARTITIONS);
                    producer.send(new ProducerRecord<>("to", to, "k", each.value()));
                }
                step.getAsBoolean();
                Map<TopicPartition, OffsetAndMetadata> upTo = new HashMap<>();
                batch.forEach(each -> upTo.put(FROM, new OffsetAndMetadata(each.offset() + 1)));
                producer.sendOffsetsToTransaction(upTo, consumer.groupMetadata());
                step.getAsBoolean();
                producer.commitTransaction();
                copied += batch.count();
            }
            assertThat(consumer.committed(Set.of(FROM))).containsEntry(FROM, new OffsetAndMetadata(RECORDS));
        }
    }

    private List<String> read(int partition) {
        TopicPartition tp = new TopicPartition("to", partition);
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = consumer(Map.of())) {
            consumer.assign(List.of(tp));
            while (values.size() < RECORDS / PARTITIONS
                    || consumer.position(tp)
                            < Objects.requireNonNull(
                                    consumer.endOffsets(List.of(tp)).get(tp))) {
                consumer.poll(Duration.ofMillis(50)).forEach(each -> values.add(each.value()));
            }
        }
        return values;
    }

    private void checkCopied() {
        for (int p = 0; p < PARTITIONS; p++) {
            int partition = p;
            assertThat(read(p))
                    .isEqualTo(IntStream.range(0, RECORDS)
                            .filter(i -> i % PARTITIONS == partition)
                            .mapToObj(String::valueOf)
                            .toList());
        }
    }

    @Test
    void whatIsCopiedIsThereOnceWhereverTheCoordinatorsAre() {
        fill();
        for (int node = 1; node <= 2; node++) {
            String id = at(node, TransactionAuthority.STATE_TOPIC);
            String group = at(3 - node, GroupCoordinators.OFFSETS_TOPIC);
            copy(id, group, () -> true);
            checkCopied();
            broker.catalogue().delete(TopicName.ofDefault("to")).join();
            broker.createTopic("to", PARTITIONS);
        }
    }

    @Test
    void whatIsCopiedIsThereOnceThoughContainersChangeTheirNodes() {
        fill();
        AtomicInteger steps = new AtomicInteger();
        copy("copy", "copiers", () -> {
            int step = steps.incrementAndGet();
            if (step % STEPS_BETWEEN == 0 && step <= STEPS_BETWEEN * HAND_OVERS) {
                handOver(step / STEPS_BETWEEN % 2);
            }
            return step > STEPS_BETWEEN * HAND_OVERS;
        });
        checkCopied();
    }

    /** The subscription of a topic whose partitions, coordinators and producer's server are at both nodes. */
    @Test
    void subscriptionsMoveInPartitionsOfBothNodes() {
        try (KafkaProducer<String, String> plain = producer(Map.of())) {
            IntStream.range(0, PARTITIONS).forEach(p -> plain.send(new ProducerRecord<>("to", p, "k", "v")));
        }
        for (int p = 0; p < PARTITIONS; p++) {
            PartitionLog log = broker.partition("to", p);
            broker.onLoop(log, () -> log.subscriptions().create("readers", 0, Map.of(), Durable.IGNORED));
        }
        Map<TopicPartition, OffsetAndMetadata> positions = IntStream.range(0, PARTITIONS)
                .boxed()
                .collect(Collectors.toMap(p -> new TopicPartition("to", p), _ -> new OffsetAndMetadata(1, "from=0")));
        for (int node = 1; node <= 2; node++) {
            String id = at(node, TransactionAuthority.STATE_TOPIC);
            try (KafkaProducer<String, String> producer = producer(Map.of("transactional.id", id))) {
                producer.initTransactions();
                producer.beginTransaction();
                producer.sendOffsetsToTransaction(positions, subscription());
                assertThat(ackedBelow()).containsOnly(0L);
                if (node == 1) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
                long moved = node == 1 ? 0 : 1;
                await().untilAsserted(() -> assertThat(ackedBelow()).containsOnly(moved));
                await().untilAsserted(() -> assertThat(pending()).containsOnly(0));
            }
        }
    }

    @SuppressWarnings("removal") // no Kafka consumer reads
    private static ConsumerGroupMetadata subscription() {
        return new ConsumerGroupMetadata("_sub.to/readers");
    }

    private List<Long> ackedBelow() {
        return ofSubscriptions(Cursor::ackedBelow);
    }

    private List<Integer> pending() {
        return ofSubscriptions(Cursor::pendingTransactions);
    }

    private <T> List<T> ofSubscriptions(Function<Cursor, T> question) {
        return IntStream.range(0, PARTITIONS)
                .mapToObj(p -> broker.partition("to", p))
                .map(log -> broker.onLoop(
                        log,
                        () -> question.apply(
                                Objects.requireNonNull(log.subscriptions().find("readers")))))
                .toList();
    }

    private void handOver(int container) {
        int from = Objects.requireNonNull(nodes.of(1).ownerOf(container)).id();
        nodes.handOver(container);
        started.get(from - 1).coordinators.containerStopped(container);
        started.get(2 - from).coordinators.containerServing(container);
    }
}
