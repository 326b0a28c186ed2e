package io.sluice.pulsar.replication.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SubscriptionSyncTest {
    private int ids;
    private final SubscriptionSync sync = new SubscriptionSync("here", () -> "id" + ids++);

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void leavesOutOnlyWhatWasConsumedSomewhereAndGetsToTheEnd(int clusters) {
        for (long seed = 0; seed < 300; seed++) {
            SyncSim sim = new SyncSim(seed, clusters, SyncSim.Bug.NONE);
            sim.run(2_000);
            sim.settle();
        }
    }

    @ParameterizedTest
    @EnumSource(value = SyncSim.Bug.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void findsPlantedBugs(SyncSim.Bug bug) {
        assertThatThrownBy(() -> {
                    for (long seed = 0; seed < 300; seed++) {
                        new SyncSim(seed, 2, bug).run(2_000);
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("is left out");
    }

    private List<Marker> tick(long now, long dataEnd, long acked) {
        return sync.tick(now, dataEnd, Set.of("there"), Map.of("s", acked));
    }

    private Marker.Taken answer(String id, long place, long at, long dataEnd) {
        Marker taken = sync.answered(
                new Marker.Response(id, "here", "there", new Place(7, place)), "there", new Place(1, at), dataEnd);
        if (taken instanceof Marker.Taken complete) {
            return complete;
        }
        throw new AssertionError("the snapshot is not complete, but: " + taken);
    }

    @Test
    void asksOnceForNewMessagesAndTellsOfWhatWasAcknowledged() {
        assertThat(sync.tick(0, 5, Set.of("there"), Map.of())).isEmpty();
        assertThat(tick(0, 5, 0)).containsExactly(new Marker.Request("id0", "here"));
        assertThat(tick(1_000, 5, 0)).isEmpty();
        // the last message is before offset 5: the markers behind it need no consumer to pass them
        assertThat(answer("id0", 12, 8, 5).here()).isEqualTo(new Place(1, 4));
        assertThat(tick(2_000, 5, 4)).isEmpty();
        assertThat(tick(3_000, 5, 5)).containsExactly(new Marker.Update("s", Map.of("there", new Place(7, 12))));
        assertThat(tick(4_000, 5, 5)).isEmpty();
        assertThat(tick(5_000, 10, 5)).containsExactly(new Marker.Request("id2", "here"));
    }

    @Test
    void asksAgainWhenThereIsNoAnswer() {
        assertThat(tick(0, 5, 0)).containsExactly(new Marker.Request("id0", "here"));
        assertThat(tick(30_000, 5, 0)).isEmpty();
        assertThat(tick(30_001, 5, 0)).containsExactly(new Marker.Request("id1", "here"));
        assertThat(sync.answered(
                        new Marker.Response("id0", "here", "there", new Place(7, 1)), "there", new Place(1, 9), 5))
                .isNull();
    }

    @Test
    void asksNobodyWhileOneCannotBeReached() {
        assertThat(sync.tick(0, 5, Set.of(), Map.of("s", 0L))).isEmpty();
    }

    @Test
    void aLostUpdateIsWrittenAgain() {
        tick(0, 5, 0);
        answer("id0", 12, 8, 5);
        List<Marker> update = tick(1_000, 5, 5);
        sync.lost((Marker.Update) update.getFirst());
        assertThat(tick(2_000, 5, 5)).isEqualTo(update);
    }

    @Test
    void saysNothingOfWhatAnotherClusterHasMoved() {
        tick(0, 5, 0);
        answer("id0", 12, 8, 5);
        sync.followed("s", 5);
        assertThat(tick(1_000, 9, 5)).isEmpty();
        assertThat(tick(2_000, 9, 6))
                .containsExactly(
                        new Marker.Update("s", Map.of("there", new Place(7, 12))), new Marker.Request("id2", "here"));
    }

    @Test
    void severalClustersAreAskedTwiceAndTheirFirstPlacesCount() {
        SnapshotRound round = new SnapshotRound("first", Set.of("b", "c"), 0, 9);
        assertThat(round.answered("b", new Place(1, 1), "second")).isEqualTo(SnapshotRound.Next.WAIT);
        assertThat(round.answered("b", new Place(1, 2), "second")).isEqualTo(SnapshotRound.Next.WAIT);
        assertThat(round.answered("c", new Place(1, 3), "second")).isEqualTo(SnapshotRound.Next.ASK_AGAIN);
        assertThat(round.id()).isEqualTo("second");
        assertThat(round.answered("c", new Place(1, 4), "third")).isEqualTo(SnapshotRound.Next.WAIT);
        assertThat(round.answered("b", new Place(1, 5), "third")).isEqualTo(SnapshotRound.Next.COMPLETE);
        assertThat(round.places()).isEqualTo(Map.of("b", new Place(1, 1), "c", new Place(1, 3)));
    }

    @Test
    void theCacheKeepsSnapshotsAllTheWayAndTheLastOne() {
        SnapshotCache cache = new SnapshotCache(4);
        for (long end = 1; end <= 1_000; end++) {
            cache.add(new Snapshot(end, Map.of("there", new Place(7, end))));
        }
        assertThat(cache.size()).isEqualTo(4);
        assertThat(cache.reached(0)).isNull();
        assertThat(cache.reached(1)).isNotNull();
        assertThat(cache.reached(999))
                .extracting(Snapshot::end)
                .satisfies(end -> assertThat(end).isBetween(300L, 999L));
        assertThat(cache.reached(5_000)).isEqualTo(new Snapshot(1_000, Map.of("there", new Place(7, 1_000))));
        cache.forgetBelow(1_000);
        assertThat(cache.size()).isEqualTo(1);
    }
}
