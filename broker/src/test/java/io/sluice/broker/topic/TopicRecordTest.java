package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.topic.Topic.Placement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TopicRecordTest {
    private static final Placement NEVER_MOVED = new Placement(0, 10);

    private static Placement moved(int aboveTerm) {
        return new Placement(1, 11, 20, List.of(new SegmentPlace(0, 11)), aboveTerm);
    }

    private static byte[] written(Map<String, String> settings, Placement... placements) {
        Topic topic = new Topic(
                TopicName.ofDefault("t"), new UUID(1, 2), true, List.of(placements), settings, false, 1_000_000);
        byte[] bytes = TopicRecord.of(topic).encode();
        assertThat(TopicRecord.decode(bytes)).isEqualTo(TopicRecord.of(topic));
        return bytes;
    }

    private static int version(Placement... placements) {
        return written(Map.of(), placements)[0];
    }

    @Test
    void aNewVersionIsWrittenOnlyWhereItIsNeeded() {
        assertThat(version(NEVER_MOVED)).isEqualTo(1);
        assertThat(version(NEVER_MOVED, moved(Placement.UNKNOWN)))
                .as("as servers wrote it that did not note leader epochs")
                .isEqualTo(2);
        assertThat((int) written(Map.of(Topic.ELASTIC, "true"), NEVER_MOVED, moved(Placement.UNKNOWN))[0])
                .isEqualTo(3);
        assertThat(version(new Placement(1, 12, 7), moved(Placement.UNKNOWN))).isEqualTo(4);
        assertThat(version(NEVER_MOVED, moved(0))).isEqualTo(5);
        assertThat(version(NEVER_MOVED, moved(3), moved(Placement.UNKNOWN), new Placement(1, 12, 7)))
                .isEqualTo(5);
    }

    /** Earlier servers know no topic without partitions. */
    @Test
    void aShadowTopicHasAVersionOfItsOwn() {
        assertThat((int) written(Map.of(Topic.SHADOW_SOURCE, new UUID(3, 4).toString()))[0])
                .isEqualTo(6);
    }

    /** Earlier servers read the fields, and pass over what follows; what is not in a change has nothing there. */
    @Test
    void theOwnerOfAChangeFollowsTheFieldsThatEarlierServersRead() {
        Topic topic = new Topic(
                TopicName.ofDefault("t"), new UUID(1, 2), true, List.of(NEVER_MOVED), Map.of("a", "b"), false, 1_000);
        ChangeOwner owner = new ChangeOwner(300, new UUID(3, 4));
        for (TopicRecord change : List.of(
                new TopicRecord(topic, 0, false),
                new TopicRecord(topic, 1, true),
                new TopicRecord(topic, 1, false, new TopicRecord.Move(0, 2, 30)))) {
            byte[] before = change.encode();
            byte[] owned = change.ownedBy(owner).encode();
            assertThat(owned).startsWith(before).hasSize(before.length + 1 + 1 + 2 + 16);
            assertThat(TopicRecord.decode(before)).isEqualTo(change);
            assertThat(TopicRecord.decode(owned)).isEqualTo(change.ownedBy(owner));
            byte[] withMore = Arrays.copyOf(owned, owned.length + 4);
            withMore[owned.length] = 77;
            withMore[owned.length + 1] = 2;
            assertThat(TopicRecord.decode(withMore)).isEqualTo(change.ownedBy(owner));
        }
        assertThat(TopicRecord.of(topic).ownedBy(owner)).isEqualTo(TopicRecord.of(topic));
    }

    @Test
    void theLeaderEpochIsKnownWithTheTermAndTheRecord() {
        assertThat(NEVER_MOVED.leaderEpoch(4)).isEqualTo(4);
        assertThat(moved(3).leaderEpoch(4)).isEqualTo(7);
        assertThat(moved(3).leaderEpoch(-1)).isEqualTo(-1);
        assertThat(moved(Placement.UNKNOWN).leaderEpoch(4)).isEqualTo(-1);
    }
}
