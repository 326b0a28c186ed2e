package io.sluice.broker.log.open;

import io.sluice.broker.log.PartitionRetention;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;

/** Retention of a partition that has no entries. */
record EmptyRetention(SegmentContainer container) implements PartitionRetention {
    @Override
    public long firstKept(long olderThan, long bytes) {
        return 0;
    }

    @Override
    public void deleteBefore(long offset, Durable done) {
        if (offset > 0) {
            throw new IllegalArgumentException("offset " + offset + " is past the end 0");
        }
        container.barrier(done);
    }

    @Override
    public void removeElsewhere() {}
}
