package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.testing.ExpectedLog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A partition that goes on in another container. */
@ExpectedLog({
    "The metadata store did not answer",
    "An interrupted change of persistent://public/default/t is not finished yet",
    "segments are deleted later"
})
class MovedPartitionTest extends CatalogueFixture {
    @Test
    void aPartitionGoesOnInAnotherContainer() throws IOException {
        Topic made = create(NAME, 3);
        List<String> told = new ArrayList<>();
        catalogue.onChange((name, now) -> told.add(name.local()));
        Topic moved = catalogue.move(NAME, 1, 2).join();
        assertThat(place(1)).isEqualTo(moved.partitions().get(1));
        assertThat(place(1).container()).isEqualTo(2);
        assertThat(segments(moved)).isEqualTo(segments(made));
        assertThat(place(1).earlier()).containsExactly(new SegmentPlace(1, place(1).partitionId()));
        assertThat(told).containsExactly("t");
        assertNoOrphans();
        assertThat(catalogue.move(NAME, 1, 2).join()).isEqualTo(moved);
        restart();
        assertThat(catalogue.find(NAME)).isEqualTo(moved);
        assertNoOrphans();
        catalogue.move(NAME, 1, 1).join();
        catalogue.move(NAME, 1, 0).join();
        assertThat(place(1).earlier()).hasSize(3);
        restart();
        assertNoOrphans();
        catalogue.expand(NAME, 4).join();
        catalogue.delete(NAME).join();
        for (int container : containers.all()) {
            for (long segment = 1; segment < ids.get(); segment++) {
                long each = segment;
                assertThat(containers.onLoop(
                                container, () -> containers.get(container).info(each)))
                        .isNull();
            }
        }
        assertNoOrphans();
    }

    /** As a node says it that does not serve the partition. */
    private void assertRecordHasEpochs() {
        Topic now = Objects.requireNonNull(catalogue.find(NAME));
        for (int p = 0; p < now.partitions().size(); p++) {
            Topic.Placement at = now.partitions().get(p);
            assertThat(at.leaderEpoch(containers.get(at.container()).term())).isEqualTo(found(p).leaderEpoch());
            assertThat(at.leaderEpoch(-1)).isEqualTo(-1);
        }
    }

    @Test
    void theRecordHasTheLeaderEpochOfAPartitionThatHasMoved() throws IOException {
        create(NAME, 3);
        assertRecordHasEpochs();
        for (int i = 0; i < 3; i++) {
            int before = found(1).leaderEpoch();
            catalogue.move(NAME, 1, (i + 2) % 3).join();
            assertThat(found(1).leaderEpoch()).isGreaterThan(before);
            assertRecordHasEpochs();
        }
        restart();
        assertRecordHasEpochs();
        // seal in the old place durable, record not written
        metadata.crashAfter(1);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.move(NAME, 0, 2).join());
        restart();
        assertThat(place(0).container()).isEqualTo(2);
        assertRecordHasEpochs();
    }

    @Test
    void aMoveThatCannotBeIsRefused() {
        create(NAME, 1);
        create(new TopicName("public", "default", "inside"), 1);
        assertRefused(Reason.NOT_FOUND, () -> catalogue.move(NAME, 1, 0).join());
        assertRefused(Reason.NOT_FOUND, () -> catalogue.move(NAME, -1, 0).join());
        assertRefused(Reason.NOT_FOUND, () -> catalogue.move(NAME, 0, 3).join());
        assertRefused(
                Reason.NOT_FOUND,
                () -> catalogue.move(TopicName.ofDefault("none"), 0, 0).join());
        assertNoOrphans();
    }

    /** Crashed after 0 to 2 writes of the metadata; what is not written to the end is undone or finished. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aMoveCutShortIsSettled(int writes) throws IOException {
        create(NAME, 2);
        metadata.crashAfter(writes);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.move(NAME, 0, 2).join());
        restart();
        assertThat(place(0).container()).isEqualTo(writes == 0 ? 0 : 2);
        assertNoOrphans();
        assertThat(catalogue.move(NAME, 0, 1).join().partitions().get(0).container())
                .isEqualTo(1);
        assertNoOrphans();
    }

    @Test
    void aMoveToAContainerThatIsNotServedLeavesThePartitionWhereItWas() throws IOException {
        create(NAME, 2);
        Topic.Placement before = place(0);
        containers.stop(2);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.move(NAME, 0, 2).join());
        assertThat(place(0)).isEqualTo(before);
        assertThat(open.find(before.segment())).isNotNull();
        restart();
        assertThat(place(0)).isEqualTo(before);
        assertNoOrphans();
    }

    /** What it had made is in the way of nothing. */
    @Test
    void aTopicCanBeChangedThoughAMoveToAContainerThatIsNotServedWasUndone() {
        create(NAME, 1);
        containers.get(2).hold();
        CompletableFuture<Topic> move = catalogue.move(NAME, 0, 2);
        long target = place(0).segment() + 1;
        await().atMost(Duration.ofSeconds(30))
                .until(() -> containers.onLoop(2, () -> containers.get(2).info(target) != null));
        containers.restartKeepingTail(2);
        containers.stop(2);
        assertRefused(Reason.UNAVAILABLE, move::join);
        catalogue.configure(NAME, Map.of("x", "y")).join();
        assertThat(catalogue.interruptedChanges()).isEqualTo(1);
        containers.start(2);
        finishLeft();
        assertThat(containers.<Boolean>onLoop(2, () -> containers.get(2).info(target) == null))
                .isTrue();
        assertNoOrphans();
    }

    /** The write after the seal fails, or happens and is not answered; the watch tells of nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMoveWhoseLastWriteFailsIsFinishedWithoutAStart(boolean happens) {
        create(NAME, 2);
        CompletableFuture<Void> told = told(catalogue, "t 2{a=b}");
        metadata.loseConnection();
        if (happens) {
            metadata.loseAnswerOf(2);
        } else {
            metadata.crashAfter(1);
        }
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.move(NAME, 0, 2).join());
        if (!happens) { // else what the watch read late, of the creation, may show it already
            assertThat(place(0).container()).isZero();
        }
        assertThat(catalogue.interruptedChanges()).isEqualTo(1);
        metadata.crashAfter(Integer.MAX_VALUE);
        finishLeft();
        assertThat(place(0).container()).isEqualTo(2);
        told.join();
        assertNoOrphans();
    }

    @Test
    void aMoveWhoseTargetEndsItsTermBetweenSealAndArrivalIsFinishedWithoutAStart() {
        create(NAME, 2);
        long segment = place(0).segment();
        containers.get(0).hold();
        CompletableFuture<Topic> move = catalogue.move(NAME, 0, 2);
        await().atMost(Duration.ofSeconds(30)).until(() -> isSealed(0, segment));
        containers.stop(2);
        containers.get(0).release();
        assertRefused(Reason.UNAVAILABLE, move::join);
        assertThat(catalogue.interruptedChanges()).isEqualTo(1);
        catalogue.finishLeft().join();
        assertThat(catalogue.interruptedChanges()).isEqualTo(1);
        containers.start(2);
        finishLeft();
        assertThat(place(0).container()).isEqualTo(2);
        assertNoOrphans();
    }

    private boolean isSealed(int container, long segment) {
        return containers.onLoop(container, () -> {
            SegmentInfo info = containers.get(container).info(segment);
            return info != null && info.sealed();
        });
    }

    /** However often it, and the other partitions of its topic, have moved before. */
    @Test
    void aMoveLooksAtNoEarlierPlacesAndNorDoesAStart() throws IOException {
        AtomicLong asked = new AtomicLong();
        Containers counting = new Containers() {
            @Override
            public @Nullable SegmentContainer serving(int container) {
                asked.incrementAndGet();
                return containers.serving(container);
            }

            @Override
            public List<Integer> all() {
                return containers.all();
            }

            @Override
            public @Nullable String owner(int container) {
                return containers.owner(container);
            }
        };
        create(NAME, 3);
        try (StoredTopicCatalogue counted = load(counting)) {
            List<Long> perMove = new ArrayList<>();
            for (int move = 1; move <= 12; move++) {
                long before = asked.get();
                counted.move(NAME, move % 3, (place(move % 3, counted).container() + 1) % 3)
                        .join();
                perMove.add(asked.get() - before);
            }
            assertThat(perMove.subList(3, 12)).allMatch(n -> n <= perMove.get(0));
        }
        assertThat(open.leaving()).isEmpty();
        containers.restart();
        asked.set(0);
        try (StoredTopicCatalogue counted = load(counting)) {
            assertThat(counted.finishInterrupted()).isZero();
            assertThat(new LeftPlaces(counted, counting, open).round()).isZero();
        }
        assertThat(asked).hasValue(0);
    }

    /** Its container stops when clients are told of the new place. */
    @Test
    void aPlaceThatWasLeftForgetsWhenItsContainerIsServedAgain() {
        create(NAME, 1);
        long segment = place(0).segment();
        catalogue.onChange((name, now) -> containers.stop(0));
        catalogue.move(NAME, 0, 2).join();
        LeftPlaces left = new LeftPlaces(catalogue, containers, open);
        assertThat(left.round()).isZero();
        containers.start(0);
        assertThat(open.leaving()).hasSize(1);
        assertThat(left.round()).isZero();
        assertThat(open.leaving()).isEmpty();
        containers.stop(0);
        containers.start(0);
        assertThat(open.leaving()).isEmpty();
        assertThat(containers.<Boolean>onLoop(0, () -> containers.get(0).info(segment) != null))
                .as("its bytes stay")
                .isTrue();
    }
}
