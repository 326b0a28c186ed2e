package io.sluice.broker.log;

import io.sluice.store.segment.SegmentInfo;

/** Kinds of the segments of partitions, see {@link SegmentInfo#kind}; stored. */
public final class SegmentKinds {
    /** Holds a partition. */
    public static final byte PARTITION = 1;

    /** Holds a compacted run of a partition. */
    public static final byte COMPANION = 2;

    private SegmentKinds() {}
}
