package io.sluice.kafka.coordinator;

import static io.sluice.kafka.coordinator.GroupsOnBroker.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OffsetsCompactionTest {
    private static final GroupSettings ONE = Settings.partitions(1);

    private final GroupsOnBroker world = new GroupsOnBroker();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void keepsTheLogInProportionToWhatIsAliveWhileCommitsGoOn() {
        GroupClient client = world.start(ONE);
        for (int offset = 0; offset < 1_000; offset++) {
            assertThat(client.commit("g" + offset % 5, "t", offset % 4, offset)).isEqualTo(Errors.NONE);
            if (offset % 300 == 299) {
                assertThat(world.compact()).isEqualTo(1);
            }
        }

        assertThat(world.records()).isLessThan(200);
        assertLatest(client);
        assertLatest(world.restart(ONE));
    }

    @Test
    void commitsOfManyThreadsGoOnDuringCompactions() throws Exception {
        GroupClient client = world.start(ONE);
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
        int compactions = 0;
        while (threads.stream().anyMatch(Thread::isAlive)) {
            compactions += world.compact();
        }

        assertThat(failures).isEmpty();
        assertThat(compactions).isPositive();
        GroupClient after = world.restart(ONE);
        for (int t = 0; t < 4; t++) {
            for (int offset = 497; offset <= 500; offset++) {
                assertThat(after.fetch("g" + t, "t", offset % 4)).isEqualTo(offset);
            }
        }
    }

    @Test
    void membersGoOnInAGroupThatWasLoadedFromACompactedLog() {
        GroupClient client = world.start(ONE);
        GroupMember member = new GroupMember(
                client, GroupClient.joining("modern", Uuid.randomUuid()).setSubscribedTopicNames(List.of("t")));
        await().atMost(PATIENCE).until(() -> member.assigned() == 4);
        commitAndCompact(client);

        member.moveTo(world.restart(ONE));

        assertThat(member.assigned()).isEqualTo(4);
        world.broker().catalogue().expand(TopicName.ofDefault("t"), 6).join();
        await().atMost(PATIENCE).until(() -> member.assigned() == 6);
    }

    @Test
    void whatWasDeletedStaysDeleted() {
        GroupClient client = world.start(ONE);
        assertThat(client.commit("deleted", "t", 0, 1)).isEqualTo(Errors.NONE);
        assertThat(client.commit("kept", "t", 0, 2)).isEqualTo(Errors.NONE);
        assertThat(client.delete("deleted")).isEqualTo(Errors.NONE);
        commitAndCompact(client);

        GroupClient after = world.restart(ONE);

        assertThat(after.fetch("deleted", "t", 0)).isEqualTo(-1);
        assertThat(after.fetch("kept", "t", 0)).isEqualTo(2);
        assertThat(after.commit("deleted", "t", 0, 9)).isEqualTo(Errors.NONE);
        assertThat(after.fetch("deleted", "t", 0)).isEqualTo(9);
    }

    /** Enough that what was written before has an end from which on it is indexed. */
    private void commitAndCompact(GroupClient client) {
        for (int offset = 0; offset < 200; offset++) {
            assertThat(client.commit("busy", "t", 0, offset)).isEqualTo(Errors.NONE);
        }
        assertThat(world.compact()).isEqualTo(1);
    }

    /** 1,000 commits went round 5 groups and 4 partitions: each pair's last is among the last 20. */
    private static void assertLatest(GroupClient client) {
        for (int offset = 980; offset < 1_000; offset++) {
            assertThat(client.fetch("g" + offset % 5, "t", offset % 4)).isEqualTo(offset);
        }
    }
}
