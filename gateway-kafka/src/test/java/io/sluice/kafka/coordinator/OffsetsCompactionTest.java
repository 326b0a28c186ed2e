package io.sluice.kafka.coordinator;

import static io.sluice.kafka.coordinator.GroupsOnBroker.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.TopicName;
import io.sluice.testing.ExpectedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@ExpectedLog("was not compacted: the container was stopped")
class OffsetsCompactionTest {
    private static final GroupSettings EAGER = Settings.of(1, Duration.ofSeconds(5), 8192);

    private final GroupsOnBroker world = new GroupsOnBroker();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void keepsTheLogInProportionToWhatIsAliveWhileCommitsGoOn() {
        GroupClient client = world.start(EAGER);
        for (int offset = 0; offset < 2_000; offset++) {
            assertThat(client.commit("g" + offset % 5, "t", offset % 4, offset)).isEqualTo(Errors.NONE);
        }

        assertThat(world.startOffset()).isPositive();
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(world.sequencedEnd() - world.startOffset()).isLessThan(300));
        assertLatest(client);
        assertLatest(world.restart(EAGER));
    }

    @Test
    void copiesAndCommitsOfManyThreadsDoNotGetInEachOthersWay() throws Exception {
        GroupClient client = world.start(EAGER);
        List<Thread> threads = new ArrayList<>();
        Queue<Errors> failures = new ConcurrentLinkedQueue<>();
        for (int t = 0; t < 4; t++) {
            String group = "g" + t;
            threads.add(Thread.ofVirtual().start(() -> {
                for (int offset = 1; offset <= 500; offset++) {
                    Errors error = client.commit(group, "t", offset % 4, offset);
                    if (error != Errors.NONE) {
                        failures.add(error);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(failures).isEmpty();
        assertThat(world.startOffset()).isPositive();
        GroupClient after = world.restart(EAGER);
        for (int t = 0; t < 4; t++) {
            for (int offset = 497; offset <= 500; offset++) {
                assertThat(after.fetch("g" + t, "t", offset % 4)).isEqualTo(offset);
            }
        }
    }

    @Test
    void membersGoOnInAGroupThatWasLoadedFromCopies() {
        GroupClient client = world.start(EAGER);
        GroupMember member = new GroupMember(
                client, GroupClient.joining("modern", Uuid.randomUuid()).setSubscribedTopicNames(List.of("t")));
        await().atMost(PATIENCE).until(() -> member.assigned() == 4);
        commitUntilCompacted(client);

        member.moveTo(world.restart(EAGER));

        assertThat(member.assigned()).isEqualTo(4);
        world.broker().catalogue().expand(TopicName.ofDefault("t"), 6).join();
        await().atMost(PATIENCE).until(() -> member.assigned() == 6);
    }

    @Test
    void whatWasDeletedStaysDeleted() {
        GroupClient client = world.start(EAGER);
        assertThat(client.commit("deleted", "t", 0, 1)).isEqualTo(Errors.NONE);
        assertThat(client.delete("deleted")).isEqualTo(Errors.NONE);
        commitUntilCompacted(client);

        GroupClient after = world.restart(EAGER);

        assertThat(after.fetch("deleted", "t", 0)).isEqualTo(-1);
        assertThat(after.fetch("busy", "t", 0)).isPositive();
    }

    @Test
    void aPartitionWithNothingAliveBecomesEmptyAndWorksOn() {
        GroupClient client = world.start(EAGER);
        AtomicBoolean empty = new AtomicBoolean();
        for (int i = 0; i < 500 && !empty.get(); i++) {
            assertThat(client.commit("g", "t", 0, i)).isEqualTo(Errors.NONE);
            assertThat(client.delete("g")).isEqualTo(Errors.NONE);
            empty.set(world.startOffset() > 0);
        }
        assertThat(empty).isTrue();

        GroupClient after = world.restart(EAGER);

        assertThat(after.fetch("g", "t", 0)).isEqualTo(-1);
        assertThat(after.commit("g", "t", 0, 9)).isEqualTo(Errors.NONE);
        assertThat(after.fetch("g", "t", 0)).isEqualTo(9);
    }

    @Test
    void aCrashAfterCopyingAndBeforeDeletingLosesNothingAndBringsNothingBack() {
        GroupClient client =
                world.start(EAGER, new FaultyLogs(world.broker().partitions(), new AtomicInteger(), false));
        GroupMember member = new GroupMember(
                client, GroupClient.joining("modern", Uuid.randomUuid()).setSubscribedTopicNames(List.of("t")));
        await().atMost(PATIENCE).until(() -> member.assigned() == 4);
        assertThat(client.commit("deleted", "t", 0, 1)).isEqualTo(Errors.NONE);
        assertThat(client.delete("deleted")).isEqualTo(Errors.NONE);
        long before = world.sequencedEnd();
        for (int offset = 0; offset < 2_000; offset++) {
            assertThat(client.commit("g" + offset % 5, "t", offset % 4, offset)).isEqualTo(Errors.NONE);
        }
        assertThat(world.sequencedEnd()).as("copies were appended").isGreaterThan(before + 2_000);
        assertThat(world.startOffset()).isZero();

        GroupClient after = world.restart(EAGER);

        assertLatest(after);
        assertThat(after.fetch("deleted", "t", 0)).isEqualTo(-1);
        member.moveTo(after);
        assertThat(member.assigned()).isEqualTo(4);
    }

    @Test
    void aTermThatEndsDuringACompactionLosesNothing() {
        GroupClient client = world.start(EAGER);
        for (int g = 0; g < 10; g++) {
            assertThat(client.commit("g" + g, "t", 1, 100 + g)).isEqualTo(Errors.NONE);
        }
        world.container().hold();
        // Past the threshold while nothing becomes durable: a compaction gets no further than its copies.
        List<CompletableFuture<Errors>> open = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            open.add(client.commitLater("g0", "t", 1, 1_000 + i));
        }
        await().atMost(PATIENCE).until(() -> world.sequencedEnd() >= 410);
        long start = world.startOffset();
        world.broker().containers().restartKeepingTail(world.container().id());
        open.forEach(commit -> assertThat(GroupClient.get(commit)).isNotEqualTo(Errors.NONE));
        world.serveAgain(client);

        world.awaitLoaded(client);
        assertThat(world.startOffset()).isEqualTo(start);
        assertThat(client.fetch("g0", "t", 1)).isEqualTo(1_399);
        for (int g = 1; g < 10; g++) {
            assertThat(client.fetch("g" + g, "t", 1)).isEqualTo(100 + g);
        }
        assertThat(client.commit("g0", "t", 1, 5)).isEqualTo(Errors.NONE);
    }

    private void commitUntilCompacted(GroupClient client) {
        long before = world.startOffset();
        await().atMost(PATIENCE).until(() -> {
            for (int i = 1; i <= 50; i++) {
                assertThat(client.commit("busy", "t", 0, i)).isEqualTo(Errors.NONE);
            }
            return world.startOffset() > before;
        });
    }

    /** 2,000 commits went round 5 groups and 4 partitions: each pair's last is among the last 20. */
    private static void assertLatest(GroupClient client) {
        for (int offset = 1_980; offset < 2_000; offset++) {
            assertThat(client.fetch("g" + offset % 5, "t", offset % 4)).isEqualTo(offset);
        }
    }
}
