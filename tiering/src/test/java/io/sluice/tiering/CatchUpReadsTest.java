package io.sluice.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.segment.StoreFailure;
import io.sluice.tiering.objectstore.FakeObjectStore.Call;
import io.sluice.tiering.objectstore.FakeObjectStore.Fault;
import io.sluice.tiering.read.ReadPolicy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who waits for whom, who shares what, and what belongs in the cache: two requests at a time, 64 KiB for the cache. */
final class CatchUpReadsTest {
    private static final int KIB = 1 << 10;
    private static final int SEGMENT = 9;
    private static final long TWO_MINUTES = 121_000;

    private final TierWorld world =
            new TierWorld(1, new ReadPolicy(130_000, 300_000, 2, 2, 2, 6, 64 * KIB, 1_200_000, 1_200_000, 5_000, 4));
    private final List<String> reads = new ArrayList<>();

    CatchUpReadsTest() {
        world.host.catchUpBytes = 1 << 20;
        for (int segment = SEGMENT; segment < SEGMENT + 8; segment++) {
            world.append(segment, 400_000);
        }
        world.settle(6_000);
        world.store.faults((call, name) -> {
            if (call == Call.READ) {
                reads.add(name);
            }
            return Fault.NONE;
        });
    }

    @AfterEach
    void everyReadIsAnsweredAndNothingLeaks() {
        world.tier.close();
        world.tasks.runAll();
        assertThat(world.replies).allMatch(CollectedReply::answered);
        assertThat(world.allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void requestsOverTheBoundWaitInTheOrderInWhichTheyCame() {
        List<CollectedReply> replies = new ArrayList<>();
        for (int segment = SEGMENT; segment < SEGMENT + 5; segment++) {
            replies.add(world.read(segment, 0, 100));
        }
        int most = 0;
        while (replies.stream().anyMatch(reply -> !reply.answered())) {
            assertThat(world.tasks.waiting("read ")).isLessThanOrEqualTo(2);
            world.tasks.runAll();
            world.turn();
            int answered =
                    (int) replies.stream().filter(CollectedReply::answered).count();
            assertThat(answered - most).as("at a time").isBetween(1, 2);
            most = answered;
            assertThat(replies.subList(0, most)).allMatch(CollectedReply::answered);
        }
    }

    @Test
    void whoAsksForAPlaceThatIsAskedForTakesNoTurnAndCountsAsOneThatWaits() {
        CollectedReply first = world.read(SEGMENT, 0, 100);
        CollectedReply other = world.read(SEGMENT + 1, 0, 100);
        CollectedReply queued = world.read(SEGMENT + 2, 0, 100);
        CollectedReply sharesFirst = world.read(SEGMENT, 0, 50);
        CollectedReply sharesQueued = world.read(SEGMENT + 2, 0, 100_000);
        CollectedReply sixth = world.read(SEGMENT + 1, 0, 100);
        assertThat(world.read(SEGMENT, 0, 100).failure).isInstanceOf(StoreFailure.Overloaded.class);
        assertThat(world.read(SEGMENT + 3, 0, 100).failure).isInstanceOf(StoreFailure.Overloaded.class);
        world.settle(100);
        assertThat(reads).hasSize(3);
        assertThat(List.of(first, other, queued, sharesFirst, sharesQueued, sixth))
                .allMatch(reply -> reply.answered() && reply.failure == null);
        assertThat(sharesQueued.length).isEqualTo(100_000);
        assertThat(first.shared).isTrue();
        assertThat(sharesFirst.shared).as("once is enough").isFalse();
        assertThat(world.read(SEGMENT + 3, 0, 100).failure).isNull();
    }

    @Test
    void aLoneReaderOfMuchPassesTheCacheBy() {
        CollectedReply stranger = read(SEGMENT, 0, 16 * KIB);
        assertThat(stranger.shared).isTrue();
        assertThat(stranger.length).as("more, for the cache").isEqualTo(64 * KIB);
        CollectedReply known = read(SEGMENT, 64 * KIB, 16 * KIB);
        assertThat(known.shared).isFalse();
        assertThat(known.length).isEqualTo(16 * KIB);
        CollectedReply little = read(SEGMENT, 80 * KIB, 15 * KIB);
        assertThat(little.shared).as("it would ask too often").isTrue();

        read(SEGMENT, 200_000, 100);
        assertThat(read(SEGMENT, 144 * KIB, 16 * KIB).shared)
                .as("another one reads the segment")
                .isTrue();
    }

    private CollectedReply read(long segment, long position, int maxBytes) {
        CollectedReply reply = world.read(segment, position, maxBytes);
        world.settle(100);
        assertThat(reply.failure).isNull();
        return reply;
    }

    @Test
    void whatWasCachedWhileItWaitedIsNotReadAgain() {
        world.read(SEGMENT, 0, 100);
        world.read(SEGMENT + 1, 0, 100);
        CollectedReply queued = world.read(SEGMENT + 2, 30_000, 100);
        world.host.cachedFrom = 30_000;
        world.tasks.runAll();
        world.host.onCachedFrom = () -> world.host.cachedFrom = Long.MAX_VALUE; // the container finds it there
        world.turn();
        assertThat(queued.handedBack).isEqualTo(1);
    }

    @Test
    void readsUpToWhatIsCached() {
        world.host.cachedFrom = 30_000;
        assertThat(read(SEGMENT, 10_000, 100_000).length).isEqualTo(20_000);
    }

    @Test
    void aPlaceWhoseReadTheStoreNeverAnswersCanBeReadAgain() {
        CollectedReply lost = world.read(SEGMENT, 0, 100);
        CollectedReply queued = world.read(SEGMENT, 50, 100);
        CollectedReply behind = world.read(SEGMENT + 1, 0, 100);
        world.now += TWO_MINUTES;
        world.turn();
        assertThat(lost.failure).isInstanceOf(StoreFailure.TierUnavailable.class);
        assertThat(queued.failure).isInstanceOf(StoreFailure.TierUnavailable.class);
        CollectedReply again = world.read(SEGMENT, 0, 100);
        world.settle(100);
        assertThat(again.failure).isNull();
        assertThat(behind.failure).isNull();
        assertThat(reads).as("two late, one for each that is answered").hasSize(4);
    }
}
