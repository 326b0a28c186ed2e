package io.sluice.tiering.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.tier.TierRange;
import io.sluice.tiering.merge.MergePlan.Run;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class MergePlanTest {
    private static final MergePolicy POLICY = new MergePolicy(4, 2, 1_000, 4_000, 1_000, 1, 1, 1, 1, 1, 1, 0.8);

    private final List<TierRange> manifest = new ArrayList<>();
    private final Map<Long, Integer> generations = new HashMap<>();
    private long end = 500;
    private long objects;

    @Test
    void fewSmallRangesWaitForCompany() {
        ranges(0, 3, 10);
        assertThat(choose()).isNull();
        ranges(0, 1, 10);
        assertThat(chosen().sources()).isEqualTo(manifest);
        assertThat(chosen().bytes()).isEqualTo(40);
    }

    @Test
    void whatWaitsIsAllThatIsWorthAMerge() {
        ranges(0, 3, 10);
        assertThat(waiting()).isZero();
        ranges(0, 1, 10);
        assertThat(waiting()).isEqualTo(40);
        ranges(0, 1, 1_000);
        ranges(0, 3, 10);
        ranges(1, 5, 10);
        ranges(2, 9, 10);
        assertThat(waiting()).isEqualTo(90);
        manifest.removeFirst();
        assertThat(waiting()).isEqualTo(50);
    }

    @Test
    void manyBytesAreWorthAMergeToo() {
        MergePolicy wide = new MergePolicy(100, 2, 1_000, 4_000, 1_000, 1, 1, 1, 1, 1, 1, 0.8);
        ranges(0, 6, 900);
        Run run = Objects.requireNonNull(MergePlan.choose(wide, manifest, this::generation));
        assertThat(run.sources()).hasSize(4);
        assertThat(run.bytes()).isEqualTo(3_600);
    }

    @Test
    void largeRangesStayAndSeparateTheirNeighbours() {
        ranges(0, 3, 10);
        ranges(0, 1, 1_000);
        ranges(0, 3, 10);
        assertThat(choose()).isNull();
        ranges(0, 1, 10);
        assertThat(chosen().sources()).isEqualTo(manifest.subList(4, 8));
    }

    @Test
    void onlyWhatWasRewrittenEquallyOftenIsMerged() {
        ranges(2, 9, 10);
        ranges(1, 4, 10);
        ranges(0, 3, 10);
        assertThat(chosen().sources()).isEqualTo(manifest.subList(9, 13));
        assertThat(chosen().generation()).isEqualTo(1);
    }

    @Test
    void noByteIsRewrittenMoreOftenThanAllowedAndTheManifestStaysShort() {
        SplittableRandom random = new SplittableRandom(3);
        long flushed = 0;
        long rewritten = 0;
        for (int flush = 1; flush <= 5_000; flush++) {
            int length = 1 + random.nextInt(flush % 1_000 == 0 ? 2_000 : 60);
            ranges(0, 1, length);
            flushed += length;
            for (@Nullable Run run = choose(); run != null; run = choose()) {
                assertThat(run.bytes()).isLessThanOrEqualTo(Math.min(waiting(), POLICY.objectBytes()));
                assertThat(run.sources()).allMatch(range -> range.length() < POLICY.largeBytes());
                rewritten += run.bytes();
                int at = manifest.indexOf(run.sources().getFirst());
                manifest.subList(at, at + run.sources().size()).clear();
                manifest.add(at, range(run.sources().getFirst().position(), (int) run.bytes(), run.generation() + 1));
            }
            // of each kind fewer than fanIn between two large ones, and what went through all merges
            int waiting = 2 * (POLICY.fanIn() - 1) * (1 + flush / 1_000);
            assertThat(manifest.size()).isLessThanOrEqualTo(waiting + flush / 16 + flush / 1_000 + 1);
        }
        assertThat(rewritten).isBetween(flushed, POLICY.rewrites() * flushed);
        assertThat(choose()).isNull();
        assertThat(waiting()).isZero();
    }

    private void ranges(int generation, int count, int length) {
        for (int i = 0; i < count; i++) {
            manifest.add(range(end, length, generation));
            end += length;
        }
    }

    private TierRange range(long position, int length, int generation) {
        generations.put(++objects, generation);
        return new TierRange(7, position, length, objects, 0, 0);
    }

    private int generation(long object) {
        return generations.getOrDefault(object, 0);
    }

    private long waiting() {
        return MergePlan.waitingBytes(POLICY, manifest, this::generation);
    }

    private @Nullable Run choose() {
        return MergePlan.choose(POLICY, manifest, this::generation);
    }

    private Run chosen() {
        return Objects.requireNonNull(choose());
    }
}
