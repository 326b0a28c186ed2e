package io.sluice.broker.log.open;

import io.sluice.store.segment.SegmentContainer;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Companion segments whose containers recover or serve here: each holds what compaction has left of a run of a partition. Any thread. */
public final class Companions {
    private final ConcurrentMap<Long, Companion> bySegment = new ConcurrentHashMap<>();

    /** @param partitionId of the partition that it was made for */
    public record Companion(SegmentContainer container, long segment, long partitionId) {}

    /** A copy. */
    public List<Companion> all() {
        return List.copyOf(bySegment.values());
    }

    void opened(Companion companion) {
        bySegment.put(companion.segment(), companion);
    }

    /** A later term may have put its own in the place. */
    void closed(Companion companion) {
        bySegment.remove(companion.segment(), companion);
    }
}
