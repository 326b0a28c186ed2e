package io.sluice.tiering.merge;

import io.sluice.store.tier.TierHost;

/** Goes over a container's segments again and again, with a rest between the rounds. Loop only. */
final class SegmentRound {
    private final TierHost host;
    private final long intervalMillis;
    private long[] segments = new long[0];
    private int next;
    private long nextRound;

    /** @param intervalMillis from the beginning of one round to that of the next, at least */
    SegmentRound(TierHost host, long intervalMillis) {
        this.host = host;
        this.intervalMillis = intervalMillis;
    }

    /** There is a segment to look at; a new round begins here, when it is time. */
    boolean hasSegment(long now) {
        if (next == segments.length && now >= nextRound) {
            nextRound = now + intervalMillis;
            segments = host.segments();
            next = 0;
        }
        return next < segments.length;
    }

    long segment() {
        return segments[next];
    }

    /** The segment was looked at; true if it was the round's last. */
    boolean advance() {
        next++;
        return next == segments.length;
    }
}
