package io.sluice.broker.scaling;

import static io.sluice.broker.scaling.ScaleSim.HASHES;
import static io.sluice.broker.scaling.ScaleSim.MB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.scaling.ScaleSim.Key;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScalePolicyTest {
    private static final int SEEDS = Integer.getInteger("sim.scale", 6);
    private static final int MINUTE = 60;
    private static final int HOUR = 60 * MINUTE;
    private static final double LIMIT = 10 * MB;

    /** What is to hold whatever the seed. */
    private interface Scenario {
        void play(long seed, ScaleSimBug bug);
    }

    private static void forAllSeeds(Scenario scenario) {
        LongStream.rangeClosed(1, SEEDS).parallel().forEach(seed -> {
            try {
                scenario.play(seed, ScaleSimBug.NONE);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
    }

    private static ScaleSim sim(long seed, ScaleSimBug bug) {
        ScaleSim sim = ScaleSim.ofHashes(seed, bug);
        sim.noise = 0.2;
        return sim;
    }

    private static ScaleSim partitions(long seed, ScaleSimBug bug) {
        ScaleSim sim = ScaleSim.ofPartitions(seed, bug);
        sim.noise = 0.2;
        return sim;
    }

    @Test
    void loadThatComesAtOnceIsSpreadWithinMinutes() {
        forAllSeeds(ScalePolicyTest::comesAtOnce);
    }

    private static void comesAtOnce(long seed, ScaleSimBug bug) {
        ScaleSim sim = sim(seed, bug);
        sim.spread(500, 0.2 * MB);
        sim.run(15);
        assertThat(sim.ranges() + sim.failures()).as("quick to split").isGreaterThan(1);
        sim.run(5 * MINUTE);
        sim.run(sim.failures() * MINUTE); // each is tried again after a minute
        assertThat(sim.hottest()).isLessThanOrEqualTo(1.1 * LIMIT);
        assertThat(sim.ranges()).isBetween(10, 20);
        int splits = sim.splits();
        sim.run(2 * HOUR);
        assertThat(sim.splits() - splits).as("splits once it is spread").isLessThanOrEqualTo(3);
        assertThat(sim.merges()).isZero();
    }

    @Test
    void loadThatGoesIsMergedSlowlyToOneRange() {
        forAllSeeds(ScalePolicyTest::goes);
    }

    private static void goes(long seed, ScaleSimBug bug) {
        ScaleSim sim = sim(seed, bug);
        sim.spread(500, 0.2 * MB);
        sim.run(10 * MINUTE);
        sim.keys().forEach(key -> key.load = 0);
        int ranges = sim.ranges();
        sim.run(4 * MINUTE);
        assertThat(sim.ranges()).as("slow to merge").isEqualTo(ranges);
        sim.run(HOUR);
        assertThat(sim.ranges()).isEqualTo(1);
        assertThat(sim.merges()).isEqualTo(ranges - 1);
    }

    @Test
    void loadThatGrowsAndShrinksSlowlyIsFollowed() {
        forAllSeeds(ScalePolicyTest::growsAndShrinks);
    }

    private static void growsAndShrinks(long seed, ScaleSimBug bug) {
        ScaleSim sim = sim(seed, bug);
        sim.spread(400, 0);
        for (int minute = 0; minute <= 60; minute++) {
            each(sim, minute);
            assertThat(sim.hottest()).isLessThanOrEqualTo(1.3 * LIMIT);
        }
        sim.run(5 * MINUTE);
        int splits = sim.splits();
        for (int minute = 55; minute > 0; minute--) {
            each(sim, minute);
        }
        sim.run(HOUR);
        assertThat(sim.ranges()).as("with 2 MB/s").isLessThanOrEqualTo(3);
        assertThat(sim.splits()).as("no split while it shrinks").isEqualTo(splits);
    }

    private static void each(ScaleSim sim, int minute) {
        sim.keys().forEach(key -> key.load = minute * 0.005 * MB);
        sim.run(MINUTE);
    }

    @Test
    void steadyLoadWithBurstsOfSecondsChangesNothing() {
        forAllSeeds(ScalePolicyTest::steady);
    }

    private static void steady(long seed, ScaleSimBug bug) {
        ScaleSim sim = sim(seed, bug);
        sim.noise = 0.5;
        sim.spread(100, 0.08 * MB);
        for (int i = 0; i < 60; i++) {
            sim.run(4 * MINUTE);
            sim.keys().forEach(key -> key.load = 0.17 * MB);
            sim.run(5);
            sim.keys().forEach(key -> key.load = 0.08 * MB);
        }
        assertThat(sim.splits() + sim.merges()).isZero();
    }

    @Test
    void oneHotKeyIsNotSplitForEver() {
        forAllSeeds(ScalePolicyTest::oneHotKey);
    }

    private static void oneHotKey(long seed, ScaleSimBug bug) {
        ScaleSim sim = sim(seed, bug);
        sim.spread(50, 0.02 * MB);
        sim.add(sim.random().nextInt(HASHES), 30 * MB);
        sim.run(50 * MINUTE);
        assertThat(sim.splits()).isEqualTo(3);
        sim.run(3 * HOUR);
        assertThat(sim.splits()).as("splits in four hours").isLessThanOrEqualTo(3 + 3);
    }

    @Test
    void hotKeysNearEachOtherAreParted() {
        forAllSeeds(ScalePolicyTest::aFewHotKeys);
    }

    private static void aFewHotKeys(long seed, ScaleSimBug bug) {
        ScaleSim sim = sim(seed, bug);
        sim.spread(100, 0.01 * MB);
        for (int i = 0; i < 4; i++) {
            sim.add(i * HASHES / 8 + sim.random().nextInt(HASHES / 8), 8 * MB);
        }
        sim.run(10 * MINUTE);
        assertThat(sim.hottest()).isLessThanOrEqualTo(LIMIT);
    }

    @Test
    void loadThatJumpsBetweenKeysDoesNotMakeRangesFlap() {
        forAllSeeds(ScalePolicyTest::jumps);
    }

    private static void jumps(long seed, ScaleSimBug bug) {
        ScaleSim sim = sim(seed, bug);
        sim.spread(100, 0.05 * MB);
        List<Key> keys = List.copyOf(sim.keys());
        for (int minute = 0; minute < 120; minute += 2) {
            keys.forEach(key -> key.load = 0.05 * MB);
            for (int i = 0; i < 10; i++) {
                keys.get(sim.random().nextInt(keys.size())).load = 4 * MB;
            }
            sim.run(2 * MINUTE);
        }
        assertThat(sim.splits() + sim.merges()).as("changes in two hours").isLessThanOrEqualTo(60);
    }

    @Test
    void loadThatComesAndGoesEachFewMinutesDoesNotMakeRangesFlap() {
        forAllSeeds(ScalePolicyTest::swings);
    }

    private static void swings(long seed, ScaleSimBug bug) {
        ScaleSim sim = sim(seed, bug);
        sim.spread(200, 0);
        for (int turn = 0; turn < 40; turn++) {
            double each = turn % 2 == 0 ? 0.4 * MB : 0;
            sim.keys().forEach(key -> key.load = each);
            sim.run(2 * MINUTE + sim.random().nextInt(2 * MINUTE));
        }
        assertThat(sim.merges()).isZero();
        assertThat(sim.splits()).isLessThanOrEqualTo(16);
    }

    @Test
    void limitsNearEachOtherDoNotMakeRangesFlap() {
        forAllSeeds(ScalePolicyTest::nearLimits);
    }

    private static void nearLimits(long seed, ScaleSimBug bug) {
        ScaleSim sim = sim(seed, bug);
        ScaleTargets usual = sim.targets;
        sim.targets = new ScaleTargets(
                true,
                1,
                64,
                ScaleTargets.NO_LIMIT,
                usual.splitMillis(),
                usual.mergeMillis(),
                usual.coldMillis(),
                usual.split(),
                usual.split().times(0.9));
        sim.spread(500, 0.04 * MB);
        sim.run(4 * HOUR);
        assertThat(sim.merges()).isZero();
    }

    @Test
    void anElasticTopicIsSplitWhereItsLoadIs() {
        forAllSeeds(ScalePolicyTest::aQuarterOfThePartitions);
    }

    private static void aQuarterOfThePartitions(long seed, ScaleSimBug bug) {
        ScaleSim sim = partitions(seed, bug);
        sim.targets = sim.targets.atMost(8);
        for (int partition = 48; partition < 64; partition++) {
            sim.add(partition, 2 * MB);
        }
        sim.run(10 * MINUTE);
        assertThat(sim.ranges()).isEqualTo(4);
        assertThat(sim.hottest()).isLessThanOrEqualTo(LIMIT);
        sim.run(2 * HOUR);
        assertThat(sim.ranges()).isEqualTo(4);
    }

    @Test
    void anElasticTopicWithOneHotPartitionIsNotSplit() {
        forAllSeeds(ScalePolicyTest::oneHotPartition);
    }

    private static void oneHotPartition(long seed, ScaleSimBug bug) {
        ScaleSim sim = partitions(seed, bug);
        sim.add(sim.random().nextInt(64), 50 * MB);
        sim.spread(30, 0.05 * MB);
        sim.run(4 * HOUR);
        assertThat(sim.splits()).isZero();
    }

    @Test
    void whatIsOffStaysAsItIs() {
        ScaleSim sim = sim(1, ScaleSimBug.NONE);
        sim.targets = ScaleTargets.of(0, 0);
        sim.spread(500, MB);
        sim.run(HOUR);
        assertThat(sim.ranges()).isEqualTo(1);
    }

    @Test
    void eventsCountAsBytesDo() {
        ScaleSim sim = sim(1, ScaleSimBug.NONE);
        sim.targets = ScaleTargets.of(0, 1_000);
        sim.spread(500, 0.008 * MB);
        sim.run(5 * MINUTE);
        assertThat(sim.ranges()).isBetween(4, 8);
    }

    @Test
    void targetsWithoutADeadBandAreRefused() {
        Flow limits = new Flow(10, 10, 10, 10);
        assertThatThrownBy(
                        () -> new ScaleTargets(true, 1, 64, ScaleTargets.NO_LIMIT, 0, 0, 0, limits, limits.times(1.1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be less than");
        assertThatThrownBy(() -> new ScaleTargets(true, 5, 4, ScaleTargets.NO_LIMIT, 0, 0, 0, limits, Flow.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the most segments");
    }

    @Test
    void reasonsSayWhichLimitAndByHowMuch() {
        var policy = new ScalePolicy();
        ScaleTargets targets = ScaleTargets.of(10 * MB, 1_000);
        List<RangeLoad> ranges = List.of(new RangeLoad(new IndexRange(0, 9), new Flow(5 * MB, 1_500, 0, 0)));
        ScalePolicy.Decision first = policy.decide(ranges, targets, ScaleHistory.NONE, 1_000);
        assertThat(first.steps()).isEmpty();
        assertThat(policy.decide(ranges, targets, first.history(), 11_000).steps())
                .singleElement()
                .isEqualTo(new ScaleStep.Split(
                        new IndexRange(0, 9), 5, "1500 events/s in (limit 1000): more than it may do"));
    }

    /** Each by the scenario it breaks, with any of ten seeds. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFound(ScaleSimBug bug) {
        assertThat(LongStream.rangeClosed(1, 10).anyMatch(seed -> isFound(scenario(bug), seed, bug)))
                .isTrue();
    }

    private static Scenario scenario(ScaleSimBug bug) {
        return switch (bug) {
            case NONE -> throw new IllegalArgumentException("nothing to find");
            case SPLITS_LATE -> ScalePolicyTest::comesAtOnce;
            case SPLITS_AT_ONCE -> ScalePolicyTest::steady;
            case NO_REST -> ScalePolicyTest::jumps;
            case VAIN_SPLITS -> ScalePolicyTest::oneHotKey;
            case GIVES_UP_AT_ONCE -> ScalePolicyTest::aFewHotKeys;
            case SPLITS_IN_THE_MIDDLE -> ScalePolicyTest::oneHotPartition;
            case MERGES_AT_ONCE -> ScalePolicyTest::swings;
            case NO_ROOM -> ScalePolicyTest::nearLimits;
        };
    }

    private static boolean isFound(Scenario scenario, long seed, ScaleSimBug bug) {
        try {
            scenario.play(seed, bug);
            return false;
        } catch (AssertionError found) {
            return true;
        }
    }
}
