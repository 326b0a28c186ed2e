package io.sluice.broker.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The policy over simulated time: one topic of keys with loads that a test sets, its ranges measured every five seconds with noise and
 * smoothed over ten. After each round: the ranges cover all hashes, none was split too soon, there are not too many.
 */
final class ScaleSim {
    static final double MB = 1e6;
    static final int HASHES = 1 << 16;
    private static final long STEP_MILLIS = 5_000;
    private static final double SHARE = -Math.expm1(-STEP_MILLIS / 10_000.0);

    private final Random random;
    private final ScalePolicy policy;
    private final int hashes;
    private final boolean partsKnown;
    private final List<Key> keys = new ArrayList<>();
    private List<IndexRange> spans;
    private final Map<IndexRange, Long> madeAt = new HashMap<>();
    private ScaleHistory history = ScaleHistory.NONE;
    private long now = 1_000_000;
    private int splits;
    private int merges;
    private int failures;

    ScaleTargets targets = ScaleTargets.of(10 * MB, 0);

    /** Part of a key's load by which a measurement is off at most, 0 to 1. */
    double noise;

    static final class Key {
        final int hash;
        double load;
        private double measured;

        private Key(int hash, double load) {
            this.hash = hash;
            this.load = load;
        }
    }

    private ScaleSim(long seed, ScaleSimBug bug, int hashes, boolean partsKnown) {
        this.random = new Random(seed);
        this.policy = policy(bug);
        this.hashes = hashes;
        this.partsKnown = partsKnown;
        this.spans = List.of(new IndexRange(0, hashes - 1));
    }

    /** A scalable topic. */
    static ScaleSim ofHashes(long seed, ScaleSimBug bug) {
        return new ScaleSim(seed, bug, HASHES, false);
    }

    /** An elastic topic of 64 partitions. */
    static ScaleSim ofPartitions(long seed, ScaleSimBug bug) {
        return new ScaleSim(seed, bug, 64, true);
    }

    private static ScalePolicy policy(ScaleSimBug bug) {
        return switch (bug) {
            case NONE -> new ScalePolicy();
            case SPLITS_LATE ->
                new ScalePolicy() {
                    @Override
                    boolean isOver(RangeLoad range, ScaleHistory history, long now) {
                        Long since = history.over().get(range.span());
                        return since != null && now - since >= 180_000;
                    }
                };
            case SPLITS_AT_ONCE ->
                new ScalePolicy() {
                    @Override
                    boolean isOver(RangeLoad range, ScaleHistory history, long now) {
                        return history.over().containsKey(range.span());
                    }
                };
            case NO_REST ->
                new ScalePolicy() {
                    @Override
                    boolean hasRested(IndexRange span, ScaleTargets targets, ScaleHistory history, long now) {
                        return true;
                    }
                };
            case VAIN_SPLITS ->
                new ScalePolicy() {
                    @Override
                    boolean isVain(
                            RangeLoad range,
                            List<RangeLoad> all,
                            ScaleTargets targets,
                            ScaleHistory history,
                            long now) {
                        return false;
                    }
                };
            case GIVES_UP_AT_ONCE ->
                new ScalePolicy() {
                    @Override
                    boolean isVain(
                            RangeLoad range,
                            List<RangeLoad> all,
                            ScaleTargets targets,
                            ScaleHistory history,
                            long now) {
                        return history.splits().stream()
                                .anyMatch(past -> range.span().isStrictlyWithin(past.span())
                                        && all.stream()
                                                        .filter(each ->
                                                                each.span().isStrictlyWithin(past.span()))
                                                        .mapToDouble(each ->
                                                                each.flow().bytesIn())
                                                        .sum()
                                                < 1.25 * range.flow().bytesIn());
                    }
                };
            case SPLITS_IN_THE_MIDDLE ->
                new ScalePolicy() {
                    @Override
                    int borderByParts(RangeLoad range, ScaleTargets targets) {
                        return range.span().middle();
                    }
                };
            case MERGES_AT_ONCE ->
                new ScalePolicy() {
                    @Override
                    boolean isCold(RangeLoad range, ScaleTargets targets, ScaleHistory history, long now) {
                        return history.cold().containsKey(range.span());
                    }
                };
            case NO_ROOM ->
                new ScalePolicy() {
                    @Override
                    boolean hasRoom(Flow both, ScaleTargets targets) {
                        return true;
                    }
                };
        };
    }

    Random random() {
        return random;
    }

    Key add(int hash, double load) {
        Key key = new Key(hash, load);
        keys.add(firstFrom(hash), key);
        return key;
    }

    /** Keys spread over all hashes. */
    void spread(int count, double loadOfEach) {
        for (int i = 0; i < count; i++) {
            add(random.nextInt(hashes), loadOfEach);
        }
    }

    /** By hash. */
    List<Key> keys() {
        return keys;
    }

    int ranges() {
        return spans.size();
    }

    int splits() {
        return splits;
    }

    int merges() {
        return merges;
    }

    /** Index of the first key with this hash or a higher one. */
    private int firstFrom(int hash) {
        int low = 0;
        int high = keys.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (keys.get(middle).hash < hash) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private List<Key> within(IndexRange span) {
        return keys.subList(firstFrom(span.start()), firstFrom(span.end() + 1));
    }

    /** Steps that were not carried out, one in 50. */
    long failures() {
        return failures;
    }

    private double load(IndexRange span) {
        return within(span).stream().mapToDouble(key -> key.load).sum();
    }

    double hottest() {
        return spans.stream().mapToDouble(this::load).max().orElse(0);
    }

    void run(long seconds) {
        for (long end = now + 1_000 * seconds; now < end; ) {
            now += STEP_MILLIS;
            step();
        }
    }

    private void step() {
        for (Key key : keys) {
            double lately = key.load * (1 + noise * (2 * random.nextDouble() - 1));
            key.measured += SHARE * (lately - key.measured);
        }
        ScalePolicy.Decision decision =
                policy.decide(spans.stream().map(this::measure).toList(), targets, history, now);
        history = decision.history();
        assertThat(decision.steps()).hasSizeLessThanOrEqualTo(ScalePolicy.STEPS);
        for (ScaleStep step : decision.steps()) {
            if (random.nextInt(50) == 0) {
                failures++;
            } else {
                carryOut(step);
            }
        }
        check();
    }

    private RangeLoad measure(IndexRange span) {
        if (partsKnown) {
            return RangeLoad.of(
                    span,
                    IntStream.rangeClosed(span.start(), span.end())
                            .mapToObj(hash -> measured(new IndexRange(hash, hash)))
                            .toList());
        }
        return new RangeLoad(span, measured(span));
    }

    private Flow measured(IndexRange span) {
        double bytes = 0;
        for (Key key : within(span)) {
            bytes += key.measured;
        }
        return flow(bytes);
    }

    private static Flow flow(double bytes) {
        return new Flow(bytes, bytes / 1_000, bytes, bytes / 1_000);
    }

    private void carryOut(ScaleStep step) {
        List<IndexRange> after = new ArrayList<>(spans);
        switch (step) {
            case ScaleStep.Split split -> {
                Long since = madeAt.get(split.span());
                if (since != null) {
                    assertThat(now - since).as("time since it was made").isGreaterThanOrEqualTo(targets.splitMillis());
                }
                int index = after.indexOf(split.span());
                assertThat(index).isNotNegative();
                after.set(index, new IndexRange(split.span().start(), split.at() - 1));
                after.add(index + 1, new IndexRange(split.at(), split.span().end()));
                splits++;
            }
            case ScaleStep.Merge merge -> {
                int index = after.indexOf(merge.lower());
                assertThat(index).isNotNegative();
                assertThat(after.remove(index + 1)).isEqualTo(merge.upper());
                after.set(index, merge.span());
                merges++;
            }
        }
        after.stream().filter(span -> !spans.contains(span)).forEach(span -> madeAt.put(span, now));
        spans = after;
    }

    private void check() {
        int next = 0;
        for (IndexRange span : spans) {
            assertThat(span.start()).isEqualTo(next);
            next = span.end() + 1;
        }
        assertThat(next).isEqualTo(hashes);
        assertThat(spans.size()).isBetween(targets.fewest(), targets.most());
    }
}
