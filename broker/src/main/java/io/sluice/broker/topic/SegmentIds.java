package io.sluice.broker.topic;

import java.io.IOException;

/** Segment ids that rise over the whole cluster and are never handed out twice. Blocking. */
public interface SegmentIds {
    /** Reserves {@code count} ids in a row and returns the first. */
    long reserve(int count) throws IOException;
}
