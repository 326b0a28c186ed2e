package io.sluice.broker.log.open;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.ListedSubscriptions;
import java.util.List;
import java.util.UUID;
import org.jctools.maps.NonBlockingHashMapLong;
import org.jspecify.annotations.Nullable;

/**
 * Logs of the partitions whose containers recover or serve here, by the segment that is appended to: a partition that has
 * moved is for a while open in its old place, too, when that recovers. Any thread, without locks.
 */
public final class OpenPartitions {
    private final NonBlockingHashMapLong<PartitionLog> bySegment = new NonBlockingHashMapLong<>();

    private final NonBlockingHashMapLong<Leaving> leaving = new NonBlockingHashMapLong<>();

    private final ListedSubscriptions subscriptions = new ListedSubscriptions();

    /**
     * A segment that is sealed, because its partition goes on elsewhere, and still has its state.
     *
     * @param partition number in the topic
     */
    public record Leaving(int container, long segment, UUID topicId, int partition) {}

    /** Segments that have not forgotten, of containers that recover or serve here. */
    public List<Leaving> leaving() {
        return List.copyOf(leaving.values());
    }

    void leaves(Leaving segment) {
        leaving.put(segment.segment(), segment);
    }

    void hasLeft(Leaving segment) {
        leaving.computeIfPresent(segment.segment(), (id, each) -> each == segment ? null : each);
    }

    /** Subscriptions of the partitions that are open here. */
    public ListedSubscriptions subscriptions() {
        return subscriptions;
    }

    public @Nullable PartitionLog find(long segment) {
        return bySegment.get(segment);
    }

    /** How many are open. */
    public int size() {
        return bySegment.size();
    }

    void opened(long segment, PartitionLog log) {
        bySegment.put(segment, log);
    }

    /** A later term may have put its own log in the place. */
    void closed(long segment, PartitionLog log) {
        bySegment.remove(segment, log);
    }
}
