package io.sluice.store.container;

import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.state.SegmentState;

/** A segment being served: its state, what rides it, and how much of it may be seen. */
final class OpenSegment {
    final SegmentState state;
    final SegmentRider rider;

    /** Where its bytes lie in the log. */
    final LogSpace.Spans spans = new LogSpace.Spans();

    /** Acknowledged: what readers may see. */
    long durableLength;

    /** On the disks, which with a log that waits is the same: what the tier may have. */
    long syncedLength;

    /** Has grown since the last force began. */
    boolean unsynced;

    /** See {@link AcknowledgedEnds#acknowledged}. */
    int endsPlace = AcknowledgedEnds.NO_PLACE;

    /** Set by {@link CacheRefill} only: the cache has all bytes from the tiered length up to here. */
    long cachedTo;

    /** Milliseconds since the epoch at which the oldest byte that the tier lacks became durable. */
    long dirtySince;

    /** Place in the list of dirty segments, or -1. */
    int dirtyIndex = -1;

    /** Bytes for it are on their way to the tier, past the log. */
    boolean storing;

    /** Has grown in this turn and its rider is yet to be told. */
    boolean grown;

    OpenSegment(SegmentState state, SegmentRider rider) {
        this.state = state;
        this.rider = rider;
    }

    SegmentInfo info() {
        long durable = Math.max(durableLength, state.start());
        return new SegmentInfo(
                state.segment(),
                state.kind(),
                state.start(),
                durable,
                state.length(),
                Math.min(state.tieredLength(), durable),
                state.sealed());
    }
}
