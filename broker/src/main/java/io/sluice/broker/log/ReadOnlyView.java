package io.sluice.broker.log;

import io.sluice.store.segment.Durable;

/** Compacted view of a partition that others compact. */
record ReadOnlyView(PartitionLog log) implements CompactedView {
    @Override
    public long horizon() {
        return log.view().horizon();
    }

    @Override
    public long last() {
        return log.view().last();
    }

    @Override
    public long sizeBytes() {
        return log.view().sizeBytes();
    }

    @Override
    public boolean liesElsewhere() {
        return log.view().liesElsewhere();
    }

    @Override
    public int generation() {
        return log.view().generation();
    }

    @Override
    public void read(long offset, int maxBytes, EntriesReply reply) {
        log.view().read(offset, maxBytes, reply);
    }

    @Override
    public void replace(Companion by, long horizon, int generation, Durable done) {
        throw new IllegalStateException("partition " + log.partitionId() + " is compacted for its own topic alone");
    }

    @Override
    public void drop(Durable done) {
        log.container().barrier(done);
    }
}
