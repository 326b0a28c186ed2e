package io.sluice.broker.log;

import org.jctools.maps.NonBlockingHashMapLong;
import org.jspecify.annotations.Nullable;

/** Logs of the partitions whose containers recover or serve here, by partition id. Any thread, without locks. */
public final class OpenPartitions {
    private final NonBlockingHashMapLong<SegmentPartitionLog> byId = new NonBlockingHashMapLong<>();

    public @Nullable PartitionLog find(long partitionId) {
        return byId.get(partitionId);
    }

    /** How many are open. */
    public int size() {
        return byId.size();
    }

    void opened(SegmentPartitionLog log) {
        byId.put(log.partitionId(), log);
    }

    /** A later term may have put its own log in the place. */
    void closed(SegmentPartitionLog log) {
        byId.remove(log.partitionId(), log);
    }
}
