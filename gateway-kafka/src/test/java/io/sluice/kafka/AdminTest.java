package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import io.sluice.testing.ExpectedLog;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The stock Java admin client against the gateway. */
@ExpectedLog("The metadata response from the cluster reported a recoverable issue")
class AdminTest {
    private TestGateway server;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        admin = server.admin();
    }

    @AfterEach
    void stop() {
        admin.close();
        server.close();
    }

    private static <T> T get(@Nullable KafkaFuture<T> future) throws Exception {
        return Objects.requireNonNull(future).get(20, TimeUnit.SECONDS);
    }

    private TopicDescription describe(String topic) throws Exception {
        return get(admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
    }

    private void create(NewTopic topic) throws Exception {
        get(admin.createTopics(List.of(topic)).all());
    }

    @Test
    void createsDescribesGrowsAndDeletesTopics() throws Exception {
        create(new NewTopic("a", 4, (short) -1));
        create(new NewTopic("b", Optional.empty(), Optional.empty()));
        TopicDescription a = describe("a");
        assertThat(a.partitions()).hasSize(4);
        assertThat(a.partitions().getFirst().leader().id()).isEqualTo(1);
        assertThat(a.topicId()).isNotEqualTo(Uuid.ZERO_UUID);
        assertThat(describe("b").partitions()).hasSize(3);
        assertThat(get(admin.listTopics().names())).isEqualTo(Set.of("a", "b"));

        get(admin.createPartitions(Map.of("a", NewPartitions.increaseTo(6))).all());
        assertThat(describe("a").partitions()).hasSize(6);

        get(admin.deleteTopics(TopicCollection.ofTopicIds(List.of(a.topicId()))).all());
        get(admin.deleteTopics(List.of("b")).all());
        assertThat(get(admin.listTopics().names())).isEmpty();
        assertThatThrownBy(() -> describe("a")).hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void refusesWhatCannotBeCreated() throws Exception {
        create(new NewTopic("a", 1, (short) 1));
        assertThatThrownBy(() -> create(new NewTopic("a", 1, (short) 1)))
                .hasCauseInstanceOf(TopicExistsException.class);
        assertThatThrownBy(() -> create(new NewTopic("b", 0, (short) 1)))
                .hasCauseInstanceOf(InvalidPartitionsException.class);
        assertThatThrownBy(() -> create(new NewTopic("no spaces", 1, (short) 1)))
                .hasCauseInstanceOf(InvalidTopicException.class);
        assertThatThrownBy(() -> create(new NewTopic("b", Map.of(0, List.of(2)))))
                .hasCauseInstanceOf(InvalidReplicaAssignmentException.class);
        assertThatThrownBy(() -> create(new NewTopic("b", 1, (short) 1).configs(Map.of("no.such", "1"))))
                .hasCauseInstanceOf(InvalidConfigurationException.class);
        assertThatThrownBy(() -> create(new NewTopic("b", 1, (short) 1).configs(Map.of("retention.ms", "x"))))
                .hasCauseInstanceOf(InvalidConfigurationException.class);
        assertThatThrownBy(() -> get(admin.createPartitions(Map.of("a", NewPartitions.increaseTo(1)))
                        .all()))
                .hasCauseInstanceOf(InvalidPartitionsException.class);
        assertThat(get(admin.listTopics().names())).isEqualTo(Set.of("a"));
    }

    /** Kafka refuses the second; docs/adr/0006 says why it is taken here. */
    @Test
    void namesThatDifferByDotAndUnderscoreAreTwoTopics() throws Exception {
        create(new NewTopic("a.b", 1, (short) 1));
        create(new NewTopic("a_b", 2, (short) 1));
        assertThat(describe("a.b").partitions()).hasSize(1);
        assertThat(describe("a_b").partitions()).hasSize(2);
        get(admin.deleteTopics(List.of("a.b")).all());
        assertThat(get(admin.listTopics().names())).isEqualTo(Set.of("a_b"));
    }

    @Test
    void onlyValidatesWhenAskedTo() throws Exception {
        CreateTopicsOptions validate = new CreateTopicsOptions().validateOnly(true);
        NewTopic topic = new NewTopic("a", 5, (short) 1).configs(Map.of("retention.ms", "1000"));
        var result = admin.createTopics(List.of(topic), validate);
        assertThat(get(result.numPartitions("a"))).isEqualTo(5);
        assertThat(get(result.config("a")).get("retention.ms").value()).isEqualTo("1000");
        assertThat(get(admin.listTopics().names())).isEmpty();
    }

    /** Kafka itself says this of __cluster_metadata; of its other topics it lets clients make their own. */
    @Test
    void topicsOfKafkasOwnNamesAreNotCreatedNorDeleted() throws Exception {
        for (String name :
                List.of("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata")) {
            assertThatThrownBy(() -> create(new NewTopic(name, 1, (short) 1)))
                    .hasCauseInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("Creation of internal topic " + name + " is prohibited");
            assertThatThrownBy(() -> get(admin.createTopics(
                                    List.of(new NewTopic(name, 1, (short) 1)),
                                    new CreateTopicsOptions().validateOnly(true))
                            .all()))
                    .hasCauseInstanceOf(InvalidRequestException.class);
            assertThatThrownBy(() -> get(admin.deleteTopics(List.of(name)).all()))
                    .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
            try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of("max.block.ms", 500))) {
                assertThatThrownBy(() -> producer.send(new ProducerRecord<>(name, new byte[1]))
                                .get())
                        .hasCauseInstanceOf(TimeoutException.class);
            }
        }
        server.broker
                .catalogue()
                .create(TopicName.ofDefault("__transaction_state"), 1, true, true, Map.of())
                .join();
        assertThatThrownBy(() -> create(new NewTopic("__transaction_state", 1, (short) 1)))
                .hasCauseInstanceOf(TopicExistsException.class);
        assertThatThrownBy(() ->
                        get(admin.deleteTopics(List.of("__transaction_state")).all()))
                .hasCauseInstanceOf(InvalidTopicException.class);
        assertThat(get(admin.listTopics().names())).isEmpty();
    }

    /** The tenant is "a b", the namespace "b/c", the last is partition 3 of another topic. */
    @Test
    void namesThatPulsarDoesNotTakeAreNotCreated() throws Exception {
        for (String name : List.of("_ns.a_20b.c.d", "_ns.a.b_2Fc.d", "x-partition-3")) {
            for (boolean validate : List.of(true, false)) {
                assertThatThrownBy(() -> get(admin.createTopics(
                                        List.of(new NewTopic(name, 1, (short) 1)),
                                        new CreateTopicsOptions().validateOnly(validate))
                                .all()))
                        .hasCauseInstanceOf(InvalidTopicException.class);
            }
        }
        create(new NewTopic("_ns.a_3Ab.c_3D.d", 1, (short) 1));
        assertThat(server.broker.catalogue().find(new TopicName("a:b", "c=", "d")))
                .isNotNull();
    }

    @Test
    void keepsAndChangesSettings() throws Exception {
        create(new NewTopic("a", 1, (short) 1).configs(Map.of("retention.ms", "1000")));
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "a");
        assertThat(config(topic).get("retention.ms").value()).isEqualTo("1000");
        assertThat(config(topic).get("max.message.bytes").value()).isEqualTo(String.valueOf(8 << 20));

        Collection<AlterConfigOp> changes = List.of(
                new AlterConfigOp(new ConfigEntry("retention.ms", ""), AlterConfigOp.OpType.DELETE),
                new AlterConfigOp(new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.APPEND),
                new AlterConfigOp(new ConfigEntry("max.message.bytes", "2000"), AlterConfigOp.OpType.SET));
        get(admin.incrementalAlterConfigs(Map.of(topic, changes)).all());
        Config changed = config(topic);
        assertThat(changed.get("retention.ms").isDefault()).isTrue();
        assertThat(changed.get("cleanup.policy").value()).isEqualTo("delete,compact");
        assertThat(changed.get("max.message.bytes").value()).isEqualTo("2000");

        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
        assertThat(config(broker).get("num.partitions").value()).isEqualTo("3");
    }

    private Config config(ConfigResource resource) throws Exception {
        return get(admin.describeConfigs(List.of(resource)).values().get(resource));
    }

    @Test
    void describesTheCluster() throws Exception {
        var cluster = admin.describeCluster();
        assertThat(get(cluster.clusterId())).isEqualTo("test-cluster-id-000000");
        assertThat(get(cluster.nodes()))
                .singleElement()
                .satisfies(node -> assertThat(node.port()).isEqualTo(server.port));
        assertThat(get(cluster.controller()).id()).isEqualTo(1);
        var features = get(admin.describeFeatures().featureMetadata());
        assertThat(features.finalizedFeatures()).containsOnlyKeys("metadata.version", "group.version");
    }

    @Test
    void deletesRecordsAndListsOffsets() throws Exception {
        TopicPartition partition = new TopicPartition("a", 0);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of("batch.size", 1))) {
            for (int i = 0; i < 10; i++) {
                long time = i == 4 ? 5_000 : 1_000 + i;
                producer.send(new ProducerRecord<>("a", 0, time, null, new byte[100]));
            }
            producer.flush();
        }
        var newest = get(
                admin.listOffsets(Map.of(partition, OffsetSpec.maxTimestamp())).partitionResult(partition));
        assertThat(newest.offset()).isEqualTo(4);
        assertThat(newest.timestamp()).isEqualTo(5_000);

        var deleted = admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(6)));
        assertThat(get(deleted.lowWatermarks().get(partition)).lowWatermark()).isEqualTo(6);
        assertThat(offset(partition, OffsetSpec.earliest())).isEqualTo(6);
        assertThat(offset(partition, OffsetSpec.latest())).isEqualTo(10);
        assertThat(offset(partition, OffsetSpec.earliestLocal())).isEqualTo(6);
        assertThat(offset(partition, OffsetSpec.latestTiered())).isEqualTo(-1);

        var dirs = get(admin.describeLogDirs(List.of(1)).allDescriptions()).get(1);
        var store = Objects.requireNonNull(Objects.requireNonNull(dirs).get("/sluice"));
        assertThat(Objects.requireNonNull(store.replicaInfos().get(partition)).size())
                .isPositive();
    }

    private long offset(TopicPartition partition, OffsetSpec spec) throws Exception {
        return get(admin.listOffsets(Map.of(partition, spec)).partitionResult(partition))
                .offset();
    }

    @Test
    void showsTopicsOfOtherNamespacesByNamesOfTheirOwn() throws Exception {
        server.broker.createTopic(new TopicName("acme", "orders", "in"), 1, false);
        assertThat(get(admin.listTopics().names())).isEqualTo(Set.of("_ns.acme.orders.in"));
        assertThat(describe("_ns.acme.orders.in").partitions()).hasSize(1);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            assertThat(producer.send(new ProducerRecord<>("_ns.acme.orders.in", new byte[1]))
                            .get()
                            .offset())
                    .isZero();
        }
    }
}
