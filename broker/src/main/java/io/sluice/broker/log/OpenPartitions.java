package io.sluice.broker.log;

import io.sluice.store.segment.SegmentContainer;
import org.jctools.maps.NonBlockingHashMapLong;
import org.jspecify.annotations.Nullable;

/**
 * Logs of the partitions whose containers recover or serve here, by the segment that is appended to: a partition that has
 * moved is for a while open in its old place, too, when that recovers. Any thread, without locks.
 */
public final class OpenPartitions {
    private final NonBlockingHashMapLong<SegmentPartitionLog> bySegment = new NonBlockingHashMapLong<>();

    public @Nullable PartitionLog find(long segment) {
        return bySegment.get(segment);
    }

    /** The partition in a segment of a container, on that container's loop; null if it is not there, or is about to come or to go. */
    public static @Nullable PartitionLog in(SegmentContainer container, long segment) {
        return container.info(segment) != null && container.rider(segment) instanceof PartitionRider partition
                ? partition.here()
                : null;
    }

    /** How many are open. */
    public int size() {
        return bySegment.size();
    }

    void opened(SegmentPartitionLog log) {
        bySegment.put(log.segment(), log);
    }

    /** A later term may have put its own log in the place. */
    void closed(SegmentPartitionLog log) {
        bySegment.remove(log.segment(), log);
    }
}
