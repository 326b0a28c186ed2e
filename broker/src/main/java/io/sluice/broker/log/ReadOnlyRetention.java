package io.sluice.broker.log;

import io.sluice.store.segment.Durable;

/** Retention of a partition whose entries others delete. */
record ReadOnlyRetention(PartitionLog log) implements PartitionRetention {
    @Override
    public long firstKept(long olderThan, long bytes) {
        return log.startOffset();
    }

    @Override
    public void deleteBefore(long offset, Durable done) {
        log.container().barrier(done);
    }

    @Override
    public void removeElsewhere() {}
}
