package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GroupCoordinatorsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final SmallCluster cluster = new SmallCluster();
    private final List<GroupCoordinators> started = new ArrayList<>();

    @BeforeEach
    void createTopic() {
        cluster.create("t", 4);
    }

    @AfterEach
    void close() {
        started.forEach(GroupCoordinators::close);
        cluster.close();
    }

    @Test
    void committedOffsetsAreBackAfterTheContainerMoved() {
        GroupClient client = start(GroupSettings.DEFAULT);
        assertThat(client.commit("g", "t", 1, 42)).isEqualTo(Errors.NONE);

        cluster.stopServing();
        client.groups().containerStopped(0);
        assertThat(client.groups().serves("g")).isFalse();
        assertThat(client.commitLater("g", "t", 1, 43).join())
                .isIn(Errors.NOT_COORDINATOR, Errors.COORDINATOR_NOT_AVAILABLE);
        cluster.serveAgain();
        client.groups().containerServing(0);

        awaitServed(client, "g");
        assertThat(client.fetch("g", "t", 1)).isEqualTo(42);
        assertThat(client.commit("g", "t", 1, 44)).isEqualTo(Errors.NONE);
    }

    @Test
    void committedOffsetsAreBackAfterARestartWithAnotherPartitionCountInTheSettings() {
        GroupClient before = start(GroupSettings.DEFAULT.withOffsetsPartitions(3));
        for (int g = 0; g < 10; g++) {
            assertThat(before.commit("g" + g, "t", 0, 100 + g)).isEqualTo(Errors.NONE);
        }
        before.groups().close();

        GroupClient after = start(GroupSettings.DEFAULT.withOffsetsPartitions(50));
        for (int g = 0; g < 10; g++) {
            assertThat(after.fetch("g" + g, "t", 0)).isEqualTo(100 + g);
        }
    }

    @Test
    void answersACommitOnlyWhenItIsDurable() {
        GroupClient client = start(onePartition());
        cluster.offsets(0).holdDurability();
        CompletableFuture<Errors> committed = client.commitLater("g", "t", 0, 7);

        await().atMost(PATIENCE).until(() -> cluster.offsets(0).count() == 1);
        assertThat(committed).isNotDone();

        cluster.offsets(0).releaseDurability();
        assertThat(GroupClient.get(committed)).isEqualTo(Errors.NONE);
    }

    @Test
    void aTermThatEndsBeforeACommitIsDurableSendsTheClientElsewhere() {
        GroupClient client = start(onePartition());
        cluster.offsets(0).holdDurability();
        CompletableFuture<Errors> committed = client.commitLater("g", "t", 0, 7);
        await().atMost(PATIENCE).until(() -> cluster.offsets(0).count() == 1);

        cluster.stopServing();

        assertThat(GroupClient.get(committed)).isEqualTo(Errors.NOT_COORDINATOR);
    }

    @Test
    void aWriteThatIsPushedBackTooLongIsWithdrawnAndLeavesNoTrace() {
        GroupSettings hasty = onePartition();
        GroupClient client = start(new GroupSettings(
                1,
                hasty.initialRebalanceDelay(),
                hasty.minSessionTimeout(),
                hasty.maxSessionTimeout(),
                hasty.offsetsRetention(),
                hasty.retentionCheckInterval(),
                hasty.maxGroupSize(),
                Duration.ofMillis(100),
                hasty.compactAfterBytes()));
        assertThat(client.commit("g", "t", 0, 1)).isEqualTo(Errors.NONE);
        cluster.container().pushBack();

        assertThat(client.commit("g", "t", 0, 2)).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        cluster.container().letGo();

        assertThat(client.fetch("g", "t", 0)).isEqualTo(1);
        assertThat(cluster.offsets(0).count()).isEqualTo(1);
        assertThat(client.commit("g", "t", 0, 3)).isEqualTo(Errors.NONE);
    }

    @Test
    void loadingWaitsForATierThatIsAway() {
        GroupClient before = start(onePartition());
        assertThat(before.commit("g", "t", 0, 5)).isEqualTo(Errors.NONE);
        before.groups().close();
        cluster.offsets(0).failReads(3);

        GroupClient after = start(onePartition());

        assertThat(after.fetch("g", "t", 0)).isEqualTo(5);
    }

    @Test
    void offsetsOfADeletedTopicGoWithIt() {
        GroupClient client = start(onePartition());
        cluster.create("gone", 1);
        assertThat(client.commit("g", "gone", 0, 5)).isEqualTo(Errors.NONE);
        assertThat(client.commit("g", "t", 0, 6)).isEqualTo(Errors.NONE);

        cluster.delete(TopicName.ofDefault("gone"));

        await().atMost(PATIENCE).until(() -> client.fetch("g", "gone", 0) == -1);
        assertThat(client.fetch("g", "t", 0)).isEqualTo(6);
    }

    @Test
    void assignsPartitionsThatAreAddedToATopic() {
        GroupClient client = start(onePartition());
        Member member =
                new Member(client, GroupClient.joining("g", Uuid.randomUuid()).setSubscribedTopicNames(List.of("t")));
        await().atMost(PATIENCE).until(() -> member.assigned() == 4);

        cluster.expand(TopicName.ofDefault("t"), 7);

        await().atMost(PATIENCE).until(() -> member.assigned() == 7);
    }

    @Test
    void assignsTopicsThatMatchARegularExpression() {
        cluster.create("logs-a", 2);
        cluster.create("logs-b", 3);
        GroupClient client = start(onePartition());

        Member member =
                new Member(client, GroupClient.joining("g", Uuid.randomUuid()).setSubscribedTopicRegex("logs-.*"));

        await().atMost(PATIENCE).until(() -> member.assigned() == 5);
    }

    @Test
    void refusesAnOffsetsTopicThatAClientMade() {
        cluster.create(GroupCoordinators.OFFSETS_TOPIC, 1);

        assertThatThrownBy(() -> start(onePartition()))
                .hasRootCauseInstanceOf(TopicException.class)
                .hasMessageContaining("was made by a client");
    }

    /** A member that has joined; says at each heartbeat how many partitions it should have by now. */
    private static final class Member {
        private final GroupClient client;
        private final ConsumerGroupHeartbeatRequestData next;
        private int assigned;

        Member(GroupClient client, ConsumerGroupHeartbeatRequestData joining) {
            this.client = client;
            this.next = joining.duplicate()
                    .setTopicPartitions(null)
                    .setSubscribedTopicNames(null)
                    .setSubscribedTopicRegex(null);
            take(client.heartbeat(joining));
        }

        int assigned() {
            take(client.heartbeat(next));
            return assigned;
        }

        private void take(ConsumerGroupHeartbeatResponseData answer) {
            assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
            next.setMemberEpoch(answer.memberEpoch());
            if (answer.assignment() != null) {
                assigned = answer.assignment().topicPartitions().stream()
                        .mapToInt(topic -> topic.partitions().size())
                        .sum();
            }
        }
    }

    private GroupClient start(GroupSettings settings) {
        try {
            GroupCoordinators groups = GroupCoordinators.start(
                    settings, new GroupCoordinators.Surroundings(cluster, cluster, cluster, 1, Time.SYSTEM));
            started.add(groups);
            GroupClient client = new GroupClient(groups);
            for (int g = 0; g < 10; g++) {
                awaitServed(client, "g" + g);
            }
            awaitServed(client, "g");
            return client;
        } catch (TopicException | InterruptedException e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    static GroupSettings onePartition() {
        return GroupSettings.DEFAULT.withOffsetsPartitions(1);
    }

    private static void awaitServed(GroupClient client, String group) {
        await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> client.fetch(group, "t", 0) > -2);
    }
}
