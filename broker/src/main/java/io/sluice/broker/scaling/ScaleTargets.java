package io.sluice.broker.scaling;

/**
 * When the ranges of a topic split and merge.
 *
 * @param enabled whether they do so by themselves
 * @param fewest ranges
 * @param most ranges
 * @param mergesDeep a range that so many merges led to, one after the other, merges no more
 * @param splitMillis a range that came to be by a split or a merge is not split for so long
 * @param mergeMillis between merges of a topic, and from a split to the next merge
 * @param coldMillis how long two neighbours are cold before they merge
 * @param split a range above any of these is split
 * @param merge a range below all of these is cold
 */
public record ScaleTargets(
        boolean enabled,
        int fewest,
        int most,
        int mergesDeep,
        long splitMillis,
        long mergeMillis,
        long coldMillis,
        Flow split,
        Flow merge) {
    public static final int NO_LIMIT = Integer.MAX_VALUE;

    /** A range takes five times as much out as in, and is cold below a tenth. */
    private static final double OUT = 5;

    private static final double COLD = 0.1;

    /** Pulsar's: 50 MB/s or 10,000 messages/s in, five times as much out. */
    public static final ScaleTargets DEFAULT = of(50_000_000, 10_000);

    /** @throws IllegalArgumentException what cannot be; says why */
    public ScaleTargets {
        check(fewest >= 1, "the fewest segments must be 1 or more");
        check(most >= fewest, "the most segments must not be less than the fewest");
        check(mergesDeep >= 0, "the depth of merges must not be negative");
        check(splitMillis >= 0 && mergeMillis >= 0 && coldMillis >= 0, "times must not be negative");
        check(
                split.bytesIn() > 0 && split.eventsIn() > 0 && split.bytesOut() > 0 && split.eventsOut() > 0,
                "limits above which a segment is split must be above 0");
        check(
                merge.bytesIn() >= 0 && merge.eventsIn() >= 0 && merge.bytesOut() >= 0 && merge.eventsOut() >= 0,
                "limits below which segments are merged must not be negative");
        check(
                isBelow(merge.bytesIn(), split.bytesIn())
                        && isBelow(merge.eventsIn(), split.eventsIn())
                        && isBelow(merge.bytesOut(), split.bytesOut())
                        && isBelow(merge.eventsOut(), split.eventsOut()),
                "limits below which segments are merged must be less than those above which one is split");
    }

    private static boolean isBelow(double merge, double split) {
        return merge < split || Double.isInfinite(split);
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** With the usual times. 0 is no limit; without any the topic stays as it is. */
    public static ScaleTargets of(double bytesIn, double eventsIn) {
        return new ScaleTargets(true, 1, 64, NO_LIMIT, 60_000, 300_000, 300_000, limits(1, 1), Flow.NONE)
                .with(bytesIn, eventsIn);
    }

    /** With other limits. 0 is no limit; without any the topic stays as it is. */
    public ScaleTargets with(double bytesIn, double eventsIn) {
        Flow limits = limits(bytesIn, eventsIn);
        return new ScaleTargets(
                bytesIn > 0 || eventsIn > 0,
                fewest,
                most,
                mergesDeep,
                splitMillis,
                mergeMillis,
                coldMillis,
                limits,
                limits.times(COLD));
    }

    private static Flow limits(double bytesIn, double eventsIn) {
        double bytes = bytesIn > 0 ? bytesIn : Double.POSITIVE_INFINITY;
        double events = eventsIn > 0 ? eventsIn : Double.POSITIVE_INFINITY;
        return new Flow(bytes, events, OUT * bytes, OUT * events);
    }

    /** With other times, in milliseconds. */
    public ScaleTargets after(long splitRest, long mergeRest) {
        return new ScaleTargets(enabled, fewest, most, mergesDeep, splitRest, mergeRest, mergeRest, split, merge);
    }

    /** With as many ranges at most. */
    public ScaleTargets atMost(int ranges) {
        int limit = Math.max(1, Math.min(most, ranges));
        return new ScaleTargets(
                enabled,
                Math.min(fewest, limit),
                limit,
                mergesDeep,
                splitMillis,
                mergeMillis,
                coldMillis,
                split,
                merge);
    }
}
