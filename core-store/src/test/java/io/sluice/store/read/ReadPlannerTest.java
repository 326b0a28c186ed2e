package io.sluice.store.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.tier.TierRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReadPlannerTest {
    private static final int KIB = 1 << 10;

    /** Readable from 100 KiB to 900 KiB; 1000 KiB are sequenced, 800 KiB tiered. */
    private final SegmentInfo info = new SegmentInfo(7, (byte) 1, 100 * KIB, 900 * KIB, 1000 * KIB, 800 * KIB, false);

    private final TierRange range = new TierRange(7, 200 * KIB, 300 * KIB, 1, 0, 0);

    @Test
    void refusesWhatIsNotReadable() {
        ReadPlan.OutOfRange outside = new ReadPlan.OutOfRange(100 * KIB, 900 * KIB);
        CachedRange notDurable = new CachedRange(900 * KIB, 1000 * KIB);
        assertThat(plan(100 * KIB - 1, 10, null, null)).isEqualTo(outside);
        assertThat(plan(900 * KIB, 10, notDurable, null)).isEqualTo(outside);
    }

    @Test
    void prefersTheCacheAndStopsAtTheDurableEnd() {
        CachedRange cached = new CachedRange(850 * KIB, 1000 * KIB);
        assertThat(plan(850 * KIB, 10, cached, null)).isEqualTo(new ReadPlan.FromCache(850 * KIB, 10));
        assertThat(plan(850 * KIB, 1000 * KIB, cached, null)).isEqualTo(new ReadPlan.FromCache(850 * KIB, 50 * KIB));
        assertThat(plan(300 * KIB, 1000, new CachedRange(300 * KIB, 300 * KIB + 5), range))
                .isEqualTo(new ReadPlan.FromCache(300 * KIB, 5));
    }

    @Test
    void readsAheadAndGoesOnBehindTheRange() {
        assertThat(plan(200 * KIB, 10, null, range)).isEqualTo(new ReadPlan.FromTier(range, 200 * KIB, 64 * KIB));
        assertThat(plan(200 * KIB, 100 * KIB, null, range))
                .isEqualTo(new ReadPlan.FromTier(range, 200 * KIB, 100 * KIB));
        assertThat(plan(490 * KIB, 100 * KIB, null, range))
                .isEqualTo(new ReadPlan.FromTier(range, 490 * KIB, 100 * KIB));
    }

    @Test
    void readsOnlyUpToWhatIsCached() {
        CachedRange next = new CachedRange(203 * KIB, 400 * KIB);
        assertThat(plan(200 * KIB, 10 * KIB, next, range)).isEqualTo(new ReadPlan.FromTier(range, 200 * KIB, 3 * KIB));
    }

    @Test
    void aReadablePositionThatIsNowhereIsABrokenInvariant() {
        CachedRange above = new CachedRange(860 * KIB, 900 * KIB);
        assertThatThrownBy(() -> plan(150 * KIB, 10, null, range)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> plan(850 * KIB, 10, above, null)).isInstanceOf(IllegalStateException.class);
    }

    private ReadPlan plan(long position, int maxBytes, @Nullable CachedRange cached, @Nullable TierRange tier) {
        return ReadPlanner.plan(info, position, maxBytes, 64 * KIB, cached, tier);
    }
}
