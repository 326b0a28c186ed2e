package io.sluice.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.ModelState.Op;
import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.objectstore.FakeObjectStore.Call;
import io.sluice.tiering.objectstore.FakeObjectStore.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ObjectTierTest {
    private static final int SEGMENT = 9;

    private final TierWorld world = new TierWorld(1);

    @AfterEach
    void nothingLeaks() {
        world.tier.close();
        world.tasks.runAll();
        assertThat(world.replies).allMatch(CollectedReply::answered);
        assertThat(world.host.pinnedBytes()).isZero();
        assertThat(world.allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void smallSegmentsShareAnObjectAndLargeOnesHaveTheirOwn() {
        for (int segment = 1; segment <= 50; segment++) {
            world.append(segment, 3_000);
        }
        world.append(60, 320_000);
        world.host.makeDurable(100);
        world.settle(6_000);
        assertThat(world.host.untieredBytes()).isZero();
        assertThat(world.store.list("", "", 100)).hasSize(2);
        assertThat(Objects.requireNonNull(world.host.state().segments.get(60L)).ranges)
                .extracting(TierRange::length)
                .containsExactly(300_000, 20_000);
        world.check();
    }

    @Test
    void aQuietSegmentWaitsForItsAge() {
        world.append(SEGMENT, 10);
        world.settle(4_000);
        assertThat(world.puts).isEmpty();
        world.settle(2_000);
        assertThat(world.puts).hasSize(1);
    }

    @Test
    void aStoreThatIsDownLosesNothingAndIsNotHammered() {
        world.store.faults((call, name) -> {
            world.puts.add(name);
            return Fault.UNAVAILABLE;
        });
        world.append(SEGMENT, 2_000_000);
        world.settle(60_000);
        // Three uploads, each retried at least every half second and at most every second once the pauses are long.
        assertThat(world.puts.size()).isBetween(150, 400);
        assertThat(world.host.untieredBytes()).isEqualTo(2_000_000);
        world.store.faults((call, name) -> Fault.NONE);
        world.settle(8_000);
        assertThat(world.host.untieredBytes()).isZero();
        world.nothingOrphaned();
        world.check();
    }

    @Test
    void bytesThatTheLogNeverHadAreStoredThoughTheStoreFailsAtFirst() {
        flushed(200_000);
        AtomicInteger puts = new AtomicInteger();
        world.store.faults(
                (call, name) -> call == Call.PUT && puts.getAndIncrement() < 3 ? Fault.UNAVAILABLE : Fault.NONE);
        List<String> told = new ArrayList<>();
        byte[] bytes = ModelState.bytes(SEGMENT, 200_000, 90_000);
        world.tier.append(
                SEGMENT, 200_000, world.allocator.directBuffer(bytes.length).writeBytes(bytes), telling(told));
        world.settle(8_000);
        assertThat(told).containsExactly("durable");
        CollectedReply reply = world.read(SEGMENT, 250_000, 40_000);
        world.settle(1_000);
        assertThat(reply.failure).isNull();
        world.nothingOrphaned();
        world.check();
    }

    @Test
    void whoWaitsForBytesToBeStoredIsToldThatTheTermEnds() {
        world.store.faults((call, name) -> Fault.UNAVAILABLE);
        List<String> told = new ArrayList<>();
        world.append(SEGMENT, 10);
        world.tier.append(SEGMENT + 1, 0, world.allocator.directBuffer(9).writeBytes(new byte[9]), telling(told));
        world.settle(2_000);
        assertThat(told).isEmpty();
        world.tier.close();
        assertThat(told).containsExactly("failed");
    }

    private static Durable telling(List<String> told) {
        return Durable.of(() -> told.add("durable"), why -> told.add("failed"));
    }

    @Test
    void collectsOnlyWhatIsGarbageDurably() {
        flushed(200_000);
        world.host.sequence(new Op.Truncate(SEGMENT, 200_000), Durable.IGNORED);
        for (int i = 0; i < 50; i++) {
            world.now += 100;
            world.turn();
            world.tasks.runAll();
        }
        assertThat(world.store.list("", "", 10)).hasSize(1);
        world.settle(2_000);
        assertThat(world.store.list("", "", 10)).isEmpty();
    }

    @Test
    void uploadsOfAnEarlierTermAreCollectedButNotBeforeTheGrace() {
        world.append(SEGMENT, 200_000);
        world.host.makeDurable(9);
        world.turn();
        world.host.makeDurable(9);
        world.tasks.runAll();
        assertThat(world.store.list("", "", 10)).as("stored, not committed").hasSize(1);
        world.crash();
        String orphan = world.store.list("", "", 10).getFirst().name();
        world.settle(900);
        assertThat(world.store.list("", "", 10)).extracting("name").contains(orphan);
        world.settle(3_000);
        assertThat(world.store.list("", "", 10)).extracting("name").doesNotContain(orphan);
        world.nothingOrphaned();
    }

    @Test
    void servesNoDamagedByte() {
        flushed(280_000);
        TierRange range = Objects.requireNonNull(world.host.tiered(SEGMENT, 0));
        world.store.damage(ObjectNames.of(3, range.object()), 100_000);
        CollectedReply damaged = world.read(SEGMENT, 66_000, 10);
        CollectedReply sound = world.read(SEGMENT, 10, 10);
        world.settle(5_000);
        assertThat(damaged.failure).isInstanceOf(StoreFailure.Corrupt.class);
        assertThat(Objects.requireNonNull(damaged.failure).message()).contains("segment 9");
        assertThat(sound.failure).isNull();
    }

    @Test
    void readsAgainWhatWasDamagedOnTheWay() {
        flushed(280_000);
        AtomicInteger reads = new AtomicInteger();
        world.store.faults((call, name) -> reads.getAndIncrement() == 0 ? Fault.DAMAGED : Fault.NONE);
        CollectedReply reply = world.read(SEGMENT, 0, 100);
        world.settle(1_000);
        assertThat(reply.failure).isNull();
        assertThat(reads).hasValue(2);
    }

    @Test
    void tellsThatTheTierIsUnavailableAfterSomeAttempts() {
        flushed(280_000);
        AtomicInteger reads = new AtomicInteger();
        world.store.faults((call, name) -> {
            reads.getAndIncrement();
            return Fault.UNAVAILABLE;
        });
        CollectedReply reply = world.read(SEGMENT, 0, 100);
        world.settle(5_000);
        assertThat(reply.failure).isInstanceOf(StoreFailure.TierUnavailable.class);
        assertThat(reads).hasValue(4);
    }

    @Test
    void tellsThatTheTierIsUnavailableWhenTheObjectIsMissing() throws Exception {
        flushed(280_000);
        world.store.delete(List.of(world.store.list("", "", 1).getFirst().name()));
        CollectedReply reply = world.read(SEGMENT, 0, 100);
        world.settle(5_000);
        assertThat(reply.failure).isInstanceOf(StoreFailure.TierUnavailable.class);
    }

    @Test
    void aSequentialReaderFindsItsNextPieceReadAndNothingIsReadTwice() {
        flushed(1_500_000);
        List<String> reads = new ArrayList<>();
        world.store.faults((call, name) -> {
            if (call == Call.READ) {
                reads.add(name);
            }
            return Fault.NONE;
        });
        long position = 0;
        int atOnce = 0;
        while (position < 1_500_000) {
            CollectedReply reply = world.read(SEGMENT, position, 131_072);
            atOnce += reply.answered() ? 1 : 0;
            world.settle(150);
            assertThat(reply.failure).isNull();
            // As readers of batches do: the end of an answer is only a part of a batch.
            position += position + reply.length == 1_500_000 ? reply.length : Math.max(1, reply.length - 700);
        }
        assertThat(atOnce).isGreaterThan(7);
        assertThat(reads.size()).isLessThan(16);
    }

    /** Requests from now on, with 3,000,000 bytes in ten ranges to read. */
    private AtomicInteger readsOfTenRanges() {
        for (int i = 0; i < 10; i++) {
            flushed(300_000);
        }
        return countedReads();
    }

    /** Requests from now on. */
    private AtomicInteger countedReads() {
        AtomicInteger reads = new AtomicInteger();
        world.store.faults((call, name) -> {
            reads.addAndGet(call == Call.READ ? 1 : 0);
            return Fault.NONE;
        });
        return reads;
    }

    @Test
    void whoReadsOnIsReadAheadInLargePiecesAndMakesRoomForTheNext() {
        AtomicInteger reads = readsOfTenRanges();
        int waited = 0;
        for (long position = 0; position < 3_000_000; ) {
            CollectedReply reply = world.read(SEGMENT, position, 100_000);
            waited += reply.answered() ? 0 : 1;
            world.settle(150);
            position += reply.length;
        }
        assertThat(reads).as("of 130,000 at first, then of whole ranges").hasValueLessThan(20);
        assertThat(waited).isLessThan(3);
    }

    @Test
    void whatIsAheadOfASlowReaderIsReadOnce() {
        AtomicInteger reads = readsOfTenRanges();
        for (long position = 0; position < 3_000_000; ) {
            CollectedReply reply = world.read(SEGMENT, position, 50_000);
            world.settle(2_000);
            position += reply.length;
        }
        assertThat(reads).hasValueLessThan(20);
    }

    @Test
    void manyReadersHaveSoMuchAheadEachThatHardlyAnythingIsReadTwice() {
        int segments = 8;
        for (int segment = 1; segment <= segments; segment++) {
            world.append(segment, 600_000);
        }
        world.settle(6_000);
        AtomicInteger reads = countedReads();
        long[] position = new long[segments];
        for (int turn = 0; turn < 40; turn++) {
            for (int i = 0; i < segments; i++) {
                if (position[i] < 600_000) {
                    CollectedReply reply = world.read(i + 1, position[i], 30_000);
                    world.settle(50);
                    position[i] += reply.length;
                }
            }
        }
        assertThat(position).containsOnly(600_000);
        assertThat(reads)
                .as("48 pieces, and the first of each reader, who is not known yet, in part again")
                .hasValueLessThan(60);
    }

    @Test
    void whoAsksForMoreThanARangeHasIsAnsweredWithAllOfIt() {
        AtomicInteger reads = readsOfTenRanges();
        CollectedReply reply = world.read(SEGMENT, 100_000, 700_000);
        assertThat(world.tasks.waiting("read "))
                .as("at once, as far as allowed")
                .isEqualTo(2);
        world.settle(1_000);
        assertThat(reply.length).isEqualTo(700_000);
        assertThat(reads)
                .as("of 130,000, and one or two for the end of each range")
                .hasValueLessThan(10);

        CollectedReply last = world.read(SEGMENT, 2_900_000, 700_000);
        world.settle(1_000);
        assertThat(last.length).as("up to the tier's end").isEqualTo(100_000);
    }

    @Test
    void whoComesBackAfterMoreThanCanBeKeptIsAnsweredInFullAndNotReadAhead() {
        int segments = 8;
        for (int segment = 1; segment <= segments; segment++) {
            world.append(segment, 750_000);
        }
        world.settle(6_000);
        AtomicInteger reads = countedReads();
        long[] position = new long[segments];
        for (int visit = 0; visit < 3; visit++) {
            for (int i = 0; i < segments; i++) {
                CollectedReply reply = world.read(i + 1, position[i], 250_000);
                world.settle(200);
                position[i] += reply.length;
            }
        }
        assertThat(position).containsOnly(750_000);
        assertThat(reads).as("two or three each").hasValueLessThan(segments * 3 * 3);
    }

    @Test
    void readersOfTheSameBytesShareARequest() {
        flushed(280_000);
        AtomicInteger reads = new AtomicInteger();
        world.store.faults((call, name) -> {
            reads.getAndIncrement();
            return Fault.NONE;
        });
        for (int i = 0; i < 20; i++) {
            world.read(SEGMENT, 10L + i, 1000);
        }
        world.settle(100);
        assertThat(reads).hasValue(1);
        assertThat(world.replies).allMatch(CollectedReply::answered);
    }

    @Test
    void readsOverTheBoundWaitTheirTurnAndTooManyAreDeclined() {
        flushed(9_000_000);
        for (int i = 0; i < 60; i++) {
            world.read(SEGMENT, i * 140_000L, 10);
            assertThat(world.tasks.waiting("read ")).isLessThanOrEqualTo(2);
        }
        assertThat(world.replies.stream().filter(CollectedReply::answered)).hasSize(10);
        assertThat(world.replies.getLast().failure).isInstanceOf(StoreFailure.Overloaded.class);
        world.settle(5_000);
        assertThat(world.replies.stream().filter(reply -> reply.failure == null))
                .hasSize(50);
    }

    @Test
    void whoStillWaitsAtTheEndIsToldSo() {
        flushed(280_000);
        CollectedReply reply = world.read(SEGMENT, 0, 100);
        world.tier.close();
        assertThat(reply.failure).isInstanceOf(StoreFailure.NotOwner.class);
        CollectedReply late = world.read(SEGMENT, 0, 100);
        assertThat(late.failure).isInstanceOf(StoreFailure.NotOwner.class);
    }

    private void flushed(int bytes) {
        world.append(SEGMENT, bytes);
        world.settle(6_000);
        assertThat(world.host.untieredBytes()).isZero();
    }
}
