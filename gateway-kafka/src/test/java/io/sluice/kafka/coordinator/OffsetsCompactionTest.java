package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.TopicException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OffsetsCompactionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final GroupSettings EAGER =
            GroupSettings.DEFAULT.withOffsetsPartitions(1).withCompactAfterBytes(8192);

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
    void keepsTheLogInProportionToWhatIsAliveWhileCommitsGoOn() {
        GroupClient client = start();
        for (int offset = 0; offset < 2_000; offset++) {
            assertThat(client.commit("g" + offset % 5, "t", offset % 4, offset)).isEqualTo(Errors.NONE);
        }

        assertThat(cluster.offsets(0).first()).isPositive();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(cluster.offsets(0).count()).isLessThan(300));
        assertLatest(client);
        assertLatest(restart(client));
    }

    @Test
    void whatWasDeletedStaysDeleted() {
        GroupClient client = start();
        assertThat(client.commit("deleted", "t", 0, 1)).isEqualTo(Errors.NONE);
        assertThat(client.delete("deleted")).isEqualTo(Errors.NONE);
        commitUntilCompacted(client, 0);

        GroupClient after = restart(client);

        assertThat(after.fetch("deleted", "t", 0)).isEqualTo(-1);
        assertThat(after.fetch("busy", "t", 0)).isPositive();
    }

    @Test
    void aPartitionWithNothingAliveBecomesEmptyAndWorksOn() {
        GroupClient client = start();
        AtomicBoolean empty = new AtomicBoolean();
        for (int i = 0; i < 500 && !empty.get(); i++) {
            assertThat(client.commit("g", "t", 0, i)).isEqualTo(Errors.NONE);
            assertThat(client.delete("g")).isEqualTo(Errors.NONE);
            empty.set(cluster.offsets(0).first() > 0);
        }
        assertThat(empty).isTrue();

        GroupClient after = restart(client);

        assertThat(after.fetch("g", "t", 0)).isEqualTo(-1);
        assertThat(after.commit("g", "t", 0, 9)).isEqualTo(Errors.NONE);
        assertThat(after.fetch("g", "t", 0)).isEqualTo(9);
    }

    @Test
    void aTermThatEndsBetweenCopyingAndDeletingLosesNothing() {
        GroupClient client = start();
        long last = 0;
        while (cluster.offsets(0).first() == 0 && last < 60) {
            assertThat(client.commit("g" + last % 3, "t", 1, last)).isEqualTo(Errors.NONE);
            last++;
        }
        cluster.offsets(0).holdDurability();
        // Fills the log past its threshold while nothing becomes durable, so the compaction stops at its copies.
        for (int i = 0; i < 400; i++) {
            client.commitLater("g0", "t", 1, 1_000 + i);
        }
        cluster.stopServing();
        cluster.serveAgain();
        client.groups().containerStopped(0);
        client.groups().containerServing(0);

        await().atMost(PATIENCE).until(() -> client.fetch("g1", "t", 1) > -2);
        assertThat(client.fetch("g1", "t", 1)).isGreaterThanOrEqualTo(last - 3).isLessThan(last);
        assertThat(client.fetch("g2", "t", 1)).isGreaterThanOrEqualTo(last - 3).isLessThan(last);
        assertThat(client.commit("g0", "t", 1, 5)).isEqualTo(Errors.NONE);
    }

    private void commitUntilCompacted(GroupClient client, int partition) {
        long before = cluster.offsets(partition).first();
        await().atMost(PATIENCE).until(() -> {
            for (int i = 1; i <= 50; i++) {
                assertThat(client.commit("busy", "t", 0, i)).isEqualTo(Errors.NONE);
            }
            return cluster.offsets(partition).first() > before;
        });
    }

    /** 2,000 commits went round 5 groups and 4 partitions: each pair's last is among the last 20. */
    private static void assertLatest(GroupClient client) {
        for (int offset = 1_980; offset < 2_000; offset++) {
            assertThat(client.fetch("g" + offset % 5, "t", offset % 4)).isEqualTo(offset);
        }
    }

    private GroupClient restart(GroupClient before) {
        before.groups().close();
        return start();
    }

    private GroupClient start() {
        try {
            GroupCoordinators groups = GroupCoordinators.start(
                    EAGER, new GroupCoordinators.Surroundings(cluster, cluster, cluster, 1, Time.SYSTEM));
            started.add(groups);
            GroupClient client = new GroupClient(groups);
            await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> client.fetch("any", "t", 0) > -2);
            return client;
        } catch (TopicException | InterruptedException e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }
}
