package io.sluice.kafka.coordinator;

import static io.sluice.kafka.coordinator.GroupsOnBroker.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.TopicName;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A log that an earlier server has rewritten has the last records of its keys, but not in the order in which they were written: Kafka must
 * take that.
 */
class OffsetsInAnyOrderTest {
    private static final GroupSettings ONE = Settings.partitions(1);

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 3, 4, 5, 6, 7})
    void groupsLoadFromTheirLastRecordsInAnyOrder(long seed) {
        try (GroupsOnBroker world = new GroupsOnBroker()) {
            GroupClient client = world.start(ONE);
            GroupMember first = join(client, "modern");
            await().atMost(PATIENCE).until(() -> first.assigned() == 4);
            GroupMember second = join(client, "other");
            await().atMost(PATIENCE).until(() -> second.assigned() == 4);
            assertThat(client.commit("simple", "t", 1, 7)).isEqualTo(Errors.NONE);

            world.stop();
            world.shuffleLastRecords(new Random(seed));
            GroupClient after = world.restart(ONE);

            first.moveTo(after);
            second.moveTo(after);
            assertThat(first.assigned()).isEqualTo(4);
            assertThat(second.assigned()).isEqualTo(4);
            assertThat(after.fetch("simple", "t", 1)).isEqualTo(7);
            world.broker().catalogue().expand(TopicName.ofDefault("t"), 6).join();
            await().atMost(PATIENCE).until(() -> first.assigned() == 6);
            await().atMost(PATIENCE).until(() -> second.assigned() == 6);
        }
    }

    private static GroupMember join(GroupClient client, String group) {
        return new GroupMember(
                client, GroupClient.joining(group, Uuid.randomUuid()).setSubscribedTopicNames(List.of("t")));
    }
}
