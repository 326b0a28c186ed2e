package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Replicas that clients name by hand. The errors are those of Kafka 4.4 with one broker, whose id is 1 as well. */
class AssignmentTest {
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

    private static void get(KafkaFuture<?> future) throws Exception {
        future.get(20, TimeUnit.SECONDS);
    }

    private static Errors error(KafkaFuture<?> future) throws Exception {
        try {
            get(future);
            return Errors.NONE;
        } catch (ExecutionException e) {
            return Errors.forException(e.getCause());
        }
    }

    private int partitions(String topic) throws Exception {
        return Objects.requireNonNull(
                        admin.describeTopics(List.of(topic)).topicNameValues().get(topic))
                .get(20, TimeUnit.SECONDS)
                .partitions()
                .size();
    }

    @Test
    void aTopicIsCreatedAndGrowsWithTheBrokerThatIsThere() throws Exception {
        NewTopic topic = new NewTopic("a", Map.of(0, List.of(1), 1, List.of(1), 2, List.of(1)));
        var validated = admin.createTopics(List.of(topic), new CreateTopicsOptions().validateOnly(true));
        assertThat(validated.numPartitions("a").get(20, TimeUnit.SECONDS)).isEqualTo(3);
        var created = admin.createTopics(List.of(topic));
        assertThat(created.numPartitions("a").get(20, TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(created.replicationFactor("a").get(20, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(partitions("a")).isEqualTo(3);
        get(admin.createPartitions(Map.of("a", NewPartitions.increaseTo(5, List.of(List.of(1), List.of(1)))))
                .all());
        assertThat(partitions("a")).isEqualTo(5);
    }

    @Test
    void aTopicIsNotCreatedWithReplicasThatCannotBe() throws Exception {
        assertThat(create(new NewTopic("b", Map.of(0, List.of(7))))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(create(new NewTopic("b", Map.of(0, List.of(-3))))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(create(new NewTopic("b", Map.of(0, List.of(1, 1))))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(create(new NewTopic("b", Map.of(0, List.of())))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(create(new NewTopic("b", new TreeMap<>(Map.of(0, List.of(1), 1, List.of())))))
                .isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(create(new NewTopic("b", Map.of(0, List.of(1), 2, List.of(1)))))
                .isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(create(new NewTopic("b", Map.of(-1, List.of(1), 0, List.of(1)))))
                .isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(create(new NewTopic("b", Map.of(0, List.of(7))).configs(Map.of("retention.ms", "x"))))
                .isEqualTo(Errors.INVALID_CONFIG);
        assertThat(admin.listTopics().names().get(20, TimeUnit.SECONDS)).isEmpty();
    }

    private Errors create(NewTopic topic) throws Exception {
        return error(admin.createTopics(List.of(topic)).all());
    }

    /** The stock client cannot say these. */
    @Test
    void aTopicIsNotCreatedWithAPartitionNamedTwiceNorWithNumbersBesideTheAssignment() throws Exception {
        assertThat(createRaw(-1, -1, 0, 0).errorCode()).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT.code());
        assertThat(createRaw(2, -1, 0, 1).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(createRaw(-1, 1, 0, 1).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(createRaw(-1, -1, 1, 0).errorCode()).isZero();
    }

    private CreatableTopicResult createRaw(int count, int replication, Integer... partitions) throws Exception {
        CreatableTopic topic =
                new CreatableTopic().setName("c").setNumPartitions(count).setReplicationFactor((short) replication);
        for (int partition : partitions) {
            topic.assignments()
                    .add(new CreatableReplicaAssignment()
                            .setPartitionIndex(partition)
                            .setBrokerIds(List.of(1)));
        }
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(10_000);
        request.topics().add(topic);
        try (RawClient client = new RawClient(server.port)) {
            short version = 7;
            var answer = new CreateTopicsResponseData(client.call(ApiKeys.CREATE_TOPICS, version, request), version);
            return Objects.requireNonNull(answer.topics().find("c"));
        }
    }

    @Test
    void aTopicDoesNotGrowWithReplicasThatCannotBe() throws Exception {
        get(admin.createTopics(List.of(new NewTopic("a", 3, (short) 1))).all());
        assertThat(grow(6, List.of(List.of(1)))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(grow(4, List.of(List.of(1), List.of(1)))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(grow(4, List.of())).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(grow(4, List.of(List.of(9)))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(grow(4, List.of(List.of(1, 1)))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(grow(4, List.of(List.of()))).isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT);
        assertThat(grow(3, List.of(List.of(9)))).isEqualTo(Errors.INVALID_PARTITIONS);
        assertThat(grow(2, null)).isEqualTo(Errors.INVALID_PARTITIONS);
        assertThat(partitions("a")).isEqualTo(3);
    }

    private Errors grow(int total, @Nullable List<List<Integer>> assignments) throws Exception {
        return error(admin.createPartitions(Map.of("a", NewPartitions.increaseTo(total, assignments)))
                .all());
    }

    /** As {@link org.apache.kafka.clients.admin.Admin} never does. */
    @Test
    void aTopicThatIsNamedTwiceDoesNotGrow() throws Exception {
        get(admin.createTopics(List.of(new NewTopic("a", 3, (short) 1))).all());
        CreatePartitionsRequestData request = new CreatePartitionsRequestData().setTimeoutMs(10_000);
        for (int total : Arrays.asList(4, 5)) {
            request.topics()
                    .add(new CreatePartitionsTopic()
                            .setName("a")
                            .setCount(total)
                            .setAssignments(null));
        }
        try (RawClient client = new RawClient(server.port)) {
            short version = 3;
            var answer =
                    new CreatePartitionsResponseData(client.call(ApiKeys.CREATE_PARTITIONS, version, request), version);
            assertThat(answer.results())
                    .singleElement()
                    .satisfies(result -> assertThat(result.errorCode()).isEqualTo(Errors.INVALID_REQUEST.code()));
        }
        assertThat(partitions("a")).isEqualTo(3);
    }
}
