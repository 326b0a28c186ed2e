package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TwoNodes;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.KafkaGateway;
import io.sluice.kafka.KafkaGatewayConfig;
import io.sluice.kafka.RawClient;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.coordinator.handler.GroupHandlers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that know one of two nodes find what the other one serves: partitions, and the coordinators of groups. */
@Timeout(60)
class TwoNodesTest {
    private static final int GROUPS = 8;
    private static final int PARTITIONS = 6;

    private final TestBroker broker = TestBroker.start();
    private final TwoNodes nodes = new TwoNodes(broker);
    private final Topic topic = broker.createTopic("t", PARTITIONS);
    private final List<KafkaNode> started = new ArrayList<>();

    private final class KafkaNode {
        private final GroupCoordinators groups;
        private final KafkaGateway gateway;
        private final int port;

        KafkaNode(int id) throws Exception {
            var services = new KafkaServices(
                    broker.catalogue(),
                    nodes.partitionsOf(id),
                    () -> id,
                    task -> Thread.ofVirtual().start(task),
                    System::currentTimeMillis,
                    nodes.of(id));
            groups = GroupCoordinators.start(Settings.quick(), services, Time.SYSTEM);
            gateway = new KafkaGateway(
                    KafkaGatewayConfig.local(0),
                    services,
                    GroupHandlers.of(groups),
                    groups.shares(),
                    new SimpleMeterRegistry());
            port = gateway.start();
        }

        void close() {
            gateway.close();
            groups.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        started.add(new KafkaNode(1));
        started.add(new KafkaNode(2));
    }

    @AfterEach
    void close() {
        started.forEach(KafkaNode::close);
        broker.close();
    }

    private Map<String, Object> settings(int node, Map<String, Object> more) {
        var settings = new HashMap<>(more);
        settings.put("bootstrap.servers", "127.0.0.1:" + started.get(node - 1).port);
        return settings;
    }

    @Test
    void bothNodesDescribeTheSameCluster() throws Exception {
        for (int node = 1; node <= 2; node++) {
            try (Admin admin = Admin.create(settings(node, Map.of()))) {
                assertThat(admin.describeCluster().nodes().get().stream().map(Node::id))
                        .containsExactlyInAnyOrder(1, 2);
                var described = Objects.requireNonNull(admin.describeTopics(List.of("t"))
                                .allTopicNames()
                                .get()
                                .get("t"))
                        .partitions();
                for (var partition : described) {
                    int container =
                            topic.partitions().get(partition.partition()).container();
                    assertThat(partition.leader().id()).isEqualTo(1 + container % 2);
                }
                assertThat(described.stream().map(p -> p.leader().id())).contains(1, 2);
            }
        }
    }

    @Test
    void aClientOfOneNodeWritesAndReadsWhatBothServe() throws Exception {
        Set<Integer> coordinators = new TreeSet<>();
        try (var producer = new KafkaProducer<>(
                settings(1, Map.of("request.timeout.ms", 10_000, "delivery.timeout.ms", 20_000)),
                new StringSerializer(),
                new StringSerializer())) {
            for (int p = 0; p < PARTITIONS; p++) {
                producer.send(new ProducerRecord<>("t", p, "k", "v" + p)).get(20, TimeUnit.SECONDS);
            }
        }
        for (int g = 0; g < GROUPS; g++) {
            String group = "g" + g;
            try (var consumer = new KafkaConsumer<>(
                    settings(1, Map.of("group.id", group, "auto.offset.reset", "earliest")),
                    new StringDeserializer(),
                    new StringDeserializer())) {
                consumer.subscribe(List.of("t"));
                Set<String> read = new TreeSet<>();
                while (read.size() < PARTITIONS) {
                    consumer.poll(Duration.ofMillis(100)).forEach(r -> read.add(r.value()));
                }
                consumer.commitSync();
            }
            try (Admin admin = Admin.create(settings(1, Map.of()))) {
                var described =
                        admin.describeConsumerGroups(List.of(group)).all().get();
                coordinators.add(Objects.requireNonNull(described.get(group))
                        .coordinator()
                        .id());
            }
        }
        assertThat(coordinators).containsExactly(1, 2);
    }

    /** A client asks the node to which it has a connection, and has one to the cut node alone. */
    @Test
    void aClientOfANodeThatIsCutOffGoesToTheOther() throws Exception {
        String both = "127.0.0.1:" + started.getFirst().port + ",127.0.0.1:" + started.getLast().port;
        int ofFirst = IntStream.range(0, PARTITIONS)
                .filter(p -> topic.partitions().get(p).container() % 2 == 0)
                .findFirst()
                .orElseThrow();
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", both, "request.timeout.ms", 10_000),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>("t", ofFirst, "k", "before")).get(30, TimeUnit.SECONDS);
            nodes.cutOff(1);
            for (int after = 1; after <= 3; after++) {
                assertThat(producer.send(new ProducerRecord<>("t", ofFirst, "k", "after"))
                                .get(30, TimeUnit.SECONDS)
                                .offset())
                        .isEqualTo(after);
            }
        }
    }

    /** The container's partitions and coordinators go on at the other node. */
    private void handOver(int container) {
        for (KafkaNode node : started) {
            node.groups.containerStopped(container);
        }
        nodes.handOver(container);
        for (KafkaNode node : started) {
            node.groups.containerServing(container);
        }
    }

    private int partitionOf(int node) {
        for (int p = 0; p < PARTITIONS; p++) {
            if (ownerOf(p) == node) {
                return p;
            }
        }
        throw new AssertionError("no partition of node " + node);
    }

    private int containerOf(int partition) {
        return Objects.requireNonNull(broker.catalogue().find(topic.id()))
                .partitions()
                .get(partition)
                .container();
    }

    private int ownerOf(int partition) {
        return Objects.requireNonNull(nodes.of(1).ownerOf(containerOf(partition)))
                .id();
    }

    private RawClient raw(int node) throws IOException {
        return new RawClient(started.get(node - 1).port);
    }

    private MetadataResponseData metadata(int node) throws IOException {
        short version = ApiKeys.METADATA.latestVersion();
        try (RawClient client = raw(node)) {
            var asked = new MetadataRequestData().setTopics(List.of(new MetadataRequestTopic().setName("t")));
            return new MetadataResponseData(client.call(ApiKeys.METADATA, version, asked), version);
        }
    }

    private MetadataResponsePartition described(int node, int partition) throws IOException {
        return Objects.requireNonNull(metadata(node).topics().find("t")).partitions().stream()
                .filter(p -> p.partitionIndex() == partition)
                .findFirst()
                .orElseThrow();
    }

    private int epoch(int partition) {
        return broker.partition("t", partition).leaderEpoch();
    }

    @Test
    void metadataHasRacksAndTheController() throws Exception {
        for (int node = 1; node <= 2; node++) {
            MetadataResponseData answer = metadata(node);
            assertThat(answer.controllerId()).isEqualTo(2);
            assertThat(answer.brokers().stream().map(b -> b.nodeId() + " " + b.port() + " " + b.rack()))
                    .containsExactlyInAnyOrder(
                            "1 " + started.get(0).port + " rack-1", "2 " + started.get(1).port + " rack-2");
            try (Admin admin = Admin.create(settings(node, Map.of()))) {
                var cluster = admin.describeCluster();
                assertThat(cluster.controller().get().id()).isEqualTo(2);
                assertThat(cluster.nodes().get().stream().map(Node::rack))
                        .containsExactlyInAnyOrder("rack-1", "rack-2");
            }
        }
    }

    @Test
    void bothNodesKnowTheLeaderEpochWhichOnlyRises() throws Exception {
        for (int p = 0; p < PARTITIONS; p++) {
            for (int node = 1; node <= 2; node++) {
                assertThat(described(node, p).leaderEpoch()).isEqualTo(epoch(p));
            }
        }
        int partition = partitionOf(2);
        int before = epoch(partition);
        for (int i = 0; i < 3; i++) {
            int from = containerOf(partition);
            if (i == 1) {
                broker.catalogue().move(topic.name(), partition, 1 - from).join();
            } else {
                handOver(from);
            }
            int now = epoch(partition);
            assertThat(now).isGreaterThan(before);
            for (int node = 1; node <= 2; node++) {
                assertThat(described(node, partition).leaderEpoch()).isEqualTo(now);
                assertThat(described(node, partition).leaderId()).isEqualTo(ownerOf(partition));
            }
            before = now;
        }
    }

    @Test
    void aPartitionThatNobodyServesHasNoLeader() throws Exception {
        int partition = partitionOf(2);
        int container = containerOf(partition);
        nodes.stop(container);
        for (int node = 1; node <= 2; node++) {
            MetadataResponsePartition answer = described(node, partition);
            assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.LEADER_NOT_AVAILABLE);
            assertThat(answer.leaderId()).isEqualTo(-1);
        }
        assertThat(produce(1, partition, ApiKeys.PRODUCE.latestVersion()).nodeEndpoints())
                .isEmpty();
        nodes.serve(container, 2);
        assertThat(described(1, partition).leaderId()).isEqualTo(2);
    }

    private ProduceResponseData produce(int node, int partition, short version) throws IOException {
        var records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(new byte[] {1}));
        var topicData = new TopicProduceData()
                .setPartitionData(
                        List.of(new PartitionProduceData().setIndex(partition).setRecords(records)));
        if (version >= 13) {
            topicData.setTopicId(KafkaServices.kafkaId(topic));
        } else {
            topicData.setName("t");
        }
        var request = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(10_000);
        request.topicData().add(topicData);
        try (RawClient client = raw(node)) {
            return new ProduceResponseData(client.call(ApiKeys.PRODUCE, version, request), version);
        }
    }

    private FetchResponseData fetch(int node, int partition, int epoch, short version) throws IOException {
        var topicAsked = new FetchTopic()
                .setPartitions(List.of(new FetchPartition()
                        .setPartition(partition)
                        .setCurrentLeaderEpoch(epoch)
                        .setFetchOffset(0)
                        .setPartitionMaxBytes(1000)));
        if (version >= 13) {
            topicAsked.setTopicId(KafkaServices.kafkaId(topic));
        } else {
            topicAsked.setTopic("t");
        }
        var request = new FetchRequestData()
                .setMaxWaitMs(0)
                .setMinBytes(1)
                .setMaxBytes(1000)
                .setTopics(List.of(topicAsked));
        try (RawClient client = raw(node)) {
            return new FetchResponseData(client.call(ApiKeys.FETCH, version, request), version);
        }
    }

    @ParameterizedTest
    @ValueSource(shorts = {3, 9, 10, 12, 13})
    void aProducerThatComesToTheWrongNodeIsToldOfTheLeader(short version) throws Exception {
        int partition = partitionOf(2);
        ProduceResponseData answer = produce(1, partition, version);
        var part = answer.responses().iterator().next().partitionResponses().getFirst();
        assertThat(Errors.forCode(part.errorCode())).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(part.currentLeader().leaderId()).isEqualTo(version >= 10 ? 2 : -1);
        assertThat(part.currentLeader().leaderEpoch()).isEqualTo(version >= 10 ? epoch(partition) : -1);
        assertThat(answer.nodeEndpoints().stream()
                        .map(n -> n.nodeId() + " " + n.host() + " " + n.port() + " " + n.rack()))
                .containsExactlyElementsOf(
                        version >= 10 ? List.of("2 127.0.0.1 " + started.get(1).port + " rack-2") : List.of());
    }

    @ParameterizedTest
    @ValueSource(shorts = {4, 12, 15, 16, 18})
    void aConsumerThatComesToTheWrongNodeIsToldOfTheLeader(short version) throws Exception {
        int partition = partitionOf(2);
        FetchResponseData answer = fetch(1, partition, -1, version);
        var part = answer.responses().getFirst().partitions().getFirst();
        assertThat(Errors.forCode(part.errorCode())).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(part.preferredReadReplica()).isEqualTo(-1);
        assertThat(part.currentLeader().leaderId()).isEqualTo(version >= 16 ? 2 : -1);
        assertThat(part.currentLeader().leaderEpoch()).isEqualTo(version >= 16 ? epoch(partition) : -1);
        assertThat(answer.nodeEndpoints().stream()
                        .map(n -> n.nodeId() + " " + n.host() + " " + n.port() + " " + n.rack()))
                .containsExactlyElementsOf(
                        version >= 16 ? List.of("2 127.0.0.1 " + started.get(1).port + " rack-2") : List.of());
    }

    @Test
    void aConsumerWithAnOldEpochIsToldTheNewOne() throws Exception {
        int partition = partitionOf(2);
        int before = epoch(partition);
        handOver(containerOf(partition));
        FetchResponseData answer = fetch(1, partition, before, ApiKeys.FETCH.latestVersion());
        var part = answer.responses().getFirst().partitions().getFirst();
        assertThat(Errors.forCode(part.errorCode())).isEqualTo(Errors.FENCED_LEADER_EPOCH);
        assertThat(part.currentLeader().leaderId()).isEqualTo(1);
        assertThat(part.currentLeader().leaderEpoch()).isEqualTo(epoch(partition));
        part = fetch(1, partition, epoch(partition) + 1, ApiKeys.FETCH.latestVersion())
                .responses()
                .getFirst()
                .partitions()
                .getFirst();
        assertThat(Errors.forCode(part.errorCode())).isEqualTo(Errors.UNKNOWN_LEADER_EPOCH);
    }

    @Test
    void eachNodeTellsTheSizeOfThePartitionsThatItServes() throws Exception {
        try (Admin admin = Admin.create(settings(1, Map.of()))) {
            var dirs = admin.describeLogDirs(List.of(1, 2)).allDescriptions().get();
            for (int node = 1; node <= 2; node++) {
                Set<Integer> shown = new TreeSet<>();
                Objects.requireNonNull(dirs.get(node))
                        .values()
                        .forEach(dir -> dir.replicaInfos().keySet().stream()
                                .filter(replica -> replica.topic().equals("t"))
                                .forEach(replica -> shown.add(replica.partition())));
                int each = node;
                assertThat(shown)
                        .isNotEmpty()
                        .containsExactlyElementsOf(IntStream.range(0, PARTITIONS)
                                .filter(p -> ownerOf(p) == each)
                                .boxed()
                                .toList());
            }
        }
    }

    /** Nothing lost, doubled or out of order, whatever side serves; each client knows one node at first. */
    @Test
    void clientsGoOnWhileContainersChangeSides() throws Exception {
        int messages = 600;
        AtomicInteger sent = new AtomicInteger();
        Map<String, Object> producing =
                settings(1, Map.of("request.timeout.ms", 10_000, "delivery.timeout.ms", 40_000, "linger.ms", 0));
        Map<String, Object> consuming = settings(2, Map.of("group.id", "g", "auto.offset.reset", "earliest"));
        try (var producer = new KafkaProducer<>(producing, new StringSerializer(), new StringSerializer());
                var consumer = new KafkaConsumer<>(consuming, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("t"));
            List<List<Integer>> read = new ArrayList<>();
            for (int p = 0; p < PARTITIONS; p++) {
                read.add(new ArrayList<>());
            }
            int total = 0;
            int handed = 0;
            while (total < messages) {
                for (int i = 0; i < 10 && sent.get() < messages; i++) {
                    int n = sent.getAndIncrement();
                    producer.send(new ProducerRecord<>("t", n % PARTITIONS, "k", Integer.toString(n)));
                }
                if (sent.get() / 100 > handed) {
                    handOver(handed % 2);
                    handed++;
                }
                for (var record : consumer.poll(Duration.ofMillis(50))) {
                    read.get(record.partition()).add(Integer.parseInt(record.value()));
                    total++;
                }
                consumer.commitAsync();
            }
            assertThat(handed).isGreaterThanOrEqualTo(5);
            for (int p = 0; p < PARTITIONS; p++) {
                int each = p;
                assertThat(read.get(p))
                        .containsExactlyElementsOf(IntStream.range(0, messages)
                                .filter(n -> n % PARTITIONS == each)
                                .boxed()
                                .toList());
            }
        }
    }
}
