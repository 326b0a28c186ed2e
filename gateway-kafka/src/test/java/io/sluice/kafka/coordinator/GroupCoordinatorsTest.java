package io.sluice.kafka.coordinator;

import static io.sluice.kafka.coordinator.GroupsOnBroker.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.MapMetadata;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.Metadata;
import io.sluice.testing.ExpectedLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@ExpectedLog({"has to wait: the tier is away", "due to an unexpected error: the container's loop did not answer within"
})
class GroupCoordinatorsTest {
    private static final GroupSettings ONE_PARTITION = Settings.partitions(1);

    private final GroupsOnBroker world = new GroupsOnBroker();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void committedOffsetsAreBackAfterTheContainersMoved() {
        GroupClient client = world.start(GroupSettings.DEFAULT);
        assertThat(client.commit("g", "t", 1, 42)).isEqualTo(Errors.NONE);

        world.stopServing(client);
        assertThat(client.groups().serves("g")).isFalse();
        assertThat(GroupClient.get(client.commitLater("g", "t", 1, 43)))
                .isIn(Errors.NOT_COORDINATOR, Errors.COORDINATOR_NOT_AVAILABLE);
        world.serveAgain(client);

        world.awaitLoaded(client);
        assertThat(client.fetch("g", "t", 1)).isEqualTo(42);
        assertThat(client.commit("g", "t", 1, 44)).isEqualTo(Errors.NONE);
    }

    @Test
    void committedOffsetsAreBackAfterARestartWithAnotherPartitionCountInTheSettings() {
        GroupClient before = world.start(Settings.partitions(3));
        for (int g = 0; g < 10; g++) {
            assertThat(before.commit("g" + g, "t", 0, 100 + g)).isEqualTo(Errors.NONE);
        }

        GroupClient after = world.restart(Settings.partitions(50));

        for (int g = 0; g < 10; g++) {
            assertThat(after.fetch("g" + g, "t", 0)).isEqualTo(100 + g);
        }
    }

    @Test
    void answersACommitOnlyWhenItIsDurable() {
        GroupClient client = world.start(ONE_PARTITION);
        world.container().hold();
        CompletableFuture<Errors> committed = client.commitLater("g", "t", 0, 7);

        await().atMost(PATIENCE).until(() -> world.sequencedEnd() == 1);
        assertThat(committed).isNotDone();

        world.container().release();
        assertThat(GroupClient.get(committed)).isEqualTo(Errors.NONE);
    }

    @Test
    void aTermThatEndsBeforeACommitIsDurableSendsTheClientElsewhere() {
        GroupClient client = world.start(ONE_PARTITION);
        world.container().hold();
        CompletableFuture<Errors> committed = client.commitLater("g", "t", 0, 7);
        await().atMost(PATIENCE).until(() -> world.sequencedEnd() == 1);

        // Nobody tells the coordinators: the failed write does.
        world.broker().containers().stop(world.container().id());

        assertThat(GroupClient.get(committed)).isEqualTo(Errors.NOT_COORDINATOR);
        world.serveAgain(client);
        world.awaitLoaded(client);
        assertThat(client.fetch("g", "t", 0)).isEqualTo(-1);
    }

    /** A lease that has run out: the coordinator has not been told yet. */
    @Test
    void aTimerThatFindsTheTermOverIsNoError() {
        GroupClient client = world.start(Settings.shortSessions());
        assertThat(client.joinClassic("g", Duration.ofSeconds(1))).isNotEmpty();
        try (var log = new CoordinatorLogLines()) {
            world.broker().containers().stop(world.container().id());
            await().atMost(PATIENCE).until(() -> log.has("not executed|not active|Ignoring it"));
            assertThat(log.errors()).isEmpty();
        }
    }

    @Test
    void aWriteThatWaitsTooLongIsWithdrawnAndLeavesNoTrace() {
        GroupClient client = world.start(Settings.of(1, Duration.ofSeconds(1)));
        assertThat(client.commit("g", "t", 0, 1)).isEqualTo(Errors.NONE);
        CountDownLatch busy = new CountDownLatch(1);
        world.keepLoopBusy(busy);

        assertThat(client.commit("g", "t", 0, 2)).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        busy.countDown();

        assertThat(client.fetch("g", "t", 0)).isEqualTo(1);
        assertThat(world.sequencedEnd()).isEqualTo(1);
        assertThat(client.commit("g", "t", 0, 3)).isEqualTo(Errors.NONE);
    }

    @Test
    void loadingWaitsForATierThatIsAway() {
        GroupClient before = world.start(ONE_PARTITION);
        assertThat(before.commit("g", "t", 0, 5)).isEqualTo(Errors.NONE);
        world.stop();

        AtomicInteger failures = new AtomicInteger(3);
        GroupClient after =
                world.start(ONE_PARTITION, new FaultyLogs(world.broker().partitions(), failures));

        assertThat(failures).hasNonPositiveValue();
        assertThat(after.fetch("g", "t", 0)).isEqualTo(5);
    }

    @Test
    void offsetsOfADeletedTopicGoWithIt() {
        GroupClient client = world.start(ONE_PARTITION);
        world.broker().createTopic("gone", 1);
        assertThat(client.commit("g", "gone", 0, 5)).isEqualTo(Errors.NONE);
        assertThat(client.commit("g", "t", 0, 6)).isEqualTo(Errors.NONE);

        world.broker().catalogue().delete(TopicName.ofDefault("gone")).join();

        await().atMost(PATIENCE).until(() -> client.fetch("g", "gone", 0) == -1);
        assertThat(client.fetch("g", "t", 0)).isEqualTo(6);
    }

    @Test
    void assignsPartitionsThatAreAddedToATopic() {
        GroupClient client = world.start(ONE_PARTITION);
        GroupMember member = new GroupMember(
                client, GroupClient.joining("g", Uuid.randomUuid()).setSubscribedTopicNames(List.of("t")));
        await().atMost(PATIENCE).until(() -> member.assigned() == 4);

        world.broker().catalogue().expand(TopicName.ofDefault("t"), 7).join();

        await().atMost(PATIENCE).until(() -> member.assigned() == 7);
    }

    @Test
    void assignsTopicsThatMatchARegularExpression() {
        world.broker().createTopic("logs-a", 2);
        world.broker().createTopic("logs-b", 3);
        GroupClient client = world.start(ONE_PARTITION);

        GroupMember member = new GroupMember(
                client, GroupClient.joining("g", Uuid.randomUuid()).setSubscribedTopicRegex("logs-.*"));

        await().atMost(PATIENCE).until(() -> member.assigned() == 5);
    }

    /** Earlier releases let clients make one; as a record it lacks the mark that it is internal. */
    @Test
    void refusesAnOffsetsTopicThatAClientMade() throws Exception {
        TopicName name = TopicName.ofDefault(GroupCoordinators.OFFSETS_TOPIC);
        world.broker().catalogue().create(name, 1, true, true, Map.of()).join();
        MapMetadata metadata = world.broker().metadata();
        String path = "/sluice/topics/public/default/" + GroupCoordinators.OFFSETS_TOPIC;
        Metadata.Versioned stored = Objects.requireNonNull(metadata.get(path));
        byte[] record = stored.value();
        record[1] &= ~2;
        metadata.put(path, record, stored.version());
        world.broker().restart();

        assertThatThrownBy(() -> world.start(ONE_PARTITION))
                .hasRootCauseInstanceOf(TopicException.class)
                .hasMessageContaining("was made by a client");
    }
}
