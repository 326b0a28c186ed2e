package io.sluice.tiering.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tiering.flush.FlushPlan.Candidate;
import io.sluice.tiering.flush.FlushPlan.Chosen;
import io.sluice.tiering.flush.FlushPlan.Piece;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class FlushPlanTest {
    private static final long NOW = 10_000_000;
    private static final int MIB = 1 << 20;
    private static final FlushPolicy POLICY = FlushPolicy.DEFAULT;

    @Test
    void leavesYoungCrumbsAlone() {
        assertThat(choose(List.of(at(1, MIB, NOW), at(2, 5, NOW - 599_000)), 0, 4))
                .isEmpty();
    }

    @Test
    void takesWhatIsOldTogetherInOneObject() {
        List<Chosen> chosen = choose(List.of(at(1, 9, NOW - 600_000), at(2, 5, NOW - 700_000), at(3, 5, NOW)), 0, 4);
        assertThat(chosen).hasSize(1);
        assertThat(chosen.getFirst().pieces()).extracting(Piece::segment).containsExactly(1L, 2L);
    }

    @Test
    void cutsALargeSegmentIntoObjectsAndLeavesTheRest() {
        List<Chosen> chosen = choose(List.of(at(1, 50L * MIB, NOW)), 0, 9);
        assertThat(chosen)
                .extracting(object -> object.pieces().getFirst().length())
                .containsExactly(16L * MIB, 16L * MIB, 16L * MIB);
    }

    @Test
    void largeOnesGoFirstTheOldestBefore() {
        List<Chosen> chosen =
                choose(List.of(at(1, 16L * MIB, NOW), at(2, 20L * MIB, NOW - 10), at(3, MIB, NOW - 600_000)), 0, 4);
        assertThat(chosen.stream().map(object -> object.pieces().getFirst().segment()))
                .containsExactly(2L, 1L, 3L);
    }

    @Test
    void flushesRoundBySegmentUntilHalfTheTotalIsLeft() {
        List<Candidate> many = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            many.add(at(i, MIB, NOW - i));
        }
        FlushPlan.Choice choice = FlushPlan.choose(POLICY, many, 0, 9, NOW, 60);
        List<Piece> pieces = pieces(choice.objects());
        assertThat(pieces).hasSize(48);
        assertThat(pieces).extracting(Piece::segment).startsWith(61L).endsWith(28L);
        assertThat(choice.swept()).isEqualTo(28);
    }

    @Test
    void objectsThatTheTotalForcesAreFull() {
        for (long length : new long[] {5_000, 300_000, 3 * MIB, 7 * MIB}) {
            List<Candidate> many = new ArrayList<>();
            for (int i = 0; i * length < 65L * MIB; i++) {
                many.add(at(i, length, NOW));
            }
            for (Chosen object : choose(many, 0, 9)) {
                long bytes = object.pieces().stream().mapToLong(Piece::length).sum();
                assertThat(bytes).as("pieces of %s", length).isBetween(15L * MIB, 16L * MIB);
            }
        }
    }

    @Test
    void pressureTightensTheLimitsButCrumbsStillWaitASecond() {
        List<Candidate> some = List.of(at(1, 7L * MIB, NOW - 20_000));
        assertThat(choose(some, 0.5, 4)).isEmpty();
        assertThat(choose(some, 0.9, 4)).hasSize(1);
        assertThat(choose(List.of(at(1, 100, NOW - 999)), 7, 4)).isEmpty();
        assertThat(choose(List.of(at(1, 100, NOW - 1000)), 7, 4)).hasSize(1);
    }

    @Test
    void neverOverlapsNorSkipsNorOverfills() {
        for (int seed = 0; seed < 2_000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Candidate> candidates = new ArrayList<>();
            Map<Long, Long> next = new HashMap<>();
            int count = random.nextInt(60);
            for (int i = 0; i < count; i++) {
                long from = random.nextLong(1L << 50);
                long length = 1 + random.nextLong(random.nextInt(8) == 0 ? 80L * MIB : 2L * MIB);
                candidates.add(new Candidate(i, from, from + length, NOW - random.nextLong(700_000)));
                next.put((long) i, from);
            }
            int room = 1 + random.nextInt(8);
            List<Chosen> chosen = choose(candidates, random.nextDouble() * 1.3, room);
            assertThat(chosen).as("seed %s", seed).hasSizeLessThanOrEqualTo(room);
            for (Chosen object : chosen) {
                long bytes = 0;
                for (Piece piece : object.pieces()) {
                    assertThat(piece.from()).as("seed %s", seed).isEqualTo(next.get(piece.segment()));
                    assertThat(piece.length()).isPositive();
                    next.put(piece.segment(), piece.to());
                    bytes += piece.length();
                }
                assertThat(bytes).as("seed %s", seed).isBetween(1L, (long) POLICY.objectBytes());
            }
            for (Candidate candidate : candidates) {
                assertThat(next.get(candidate.segment())).isLessThanOrEqualTo(candidate.to());
            }
        }
    }

    @Test
    void positionsNearTheirLimitDoNotOverflow() {
        Candidate far = new Candidate(1, Long.MAX_VALUE - 20L * MIB, Long.MAX_VALUE, 0);
        assertThat(pieces(choose(List.of(far), 1, 4)))
                .containsExactly(
                        new Piece(1, far.from(), far.from() + 16L * MIB),
                        new Piece(1, far.from() + 16L * MIB, Long.MAX_VALUE));
    }

    private static List<Chosen> choose(List<Candidate> candidates, double pressure, int room) {
        return FlushPlan.choose(POLICY, candidates, pressure, room, NOW, -1).objects();
    }

    private static Candidate at(long segment, long length, long since) {
        return new Candidate(segment, 1000, 1000 + length, since);
    }

    private static List<Piece> pieces(List<Chosen> chosen) {
        return chosen.stream().flatMap(object -> object.pieces().stream()).toList();
    }

    @Test
    void littleRoomMakesForSmallObjects() {
        assertThat(FlushPolicy.DEFAULT.within(192L << 20)).isEqualTo(FlushPolicy.DEFAULT);
        assertThat(FlushPolicy.DEFAULT.within(48L << 20))
                .isEqualTo(new FlushPolicy(4 << 20, 16 << 20, FlushPolicy.DEFAULT.ageMillis(), 4 << 20, 4));
        assertThat(FlushPolicy.DEFAULT.within(1 << 20).objectBytes()).isEqualTo(256 << 10);
    }
}
