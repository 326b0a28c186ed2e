package io.sluice.broker.compaction;

import io.sluice.broker.log.open.Companions;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.SegmentIds;
import io.sluice.broker.topic.TopicCatalogue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Resources shared by all compactions of a server. One runs at a time: making or looking for companions needs {@link #turn}.
 *
 * @param mapBytes memory for the last offsets of keys while a partition is compacted
 * @param objectBytes memory for an object on its way to long-term storage then, of which there are two
 * @param clock milliseconds since the epoch
 */
public record CompactionResources(
        TopicCatalogue catalogue,
        Partitions partitions,
        Companions companions,
        SegmentIds ids,
        long mapBytes,
        int objectBytes,
        LongSupplier clock,
        CompactionCounters counters,
        ReentrantLock turn) {
    public CompactionResources(
            TopicCatalogue catalogue,
            Partitions partitions,
            Companions companions,
            SegmentIds ids,
            long mapBytes,
            int objectBytes,
            LongSupplier clock) {
        this(
                catalogue,
                partitions,
                companions,
                ids,
                mapBytes,
                objectBytes,
                clock,
                new CompactionCounters(),
                new ReentrantLock(true));
    }
}
