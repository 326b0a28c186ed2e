package io.sluice.broker.log;

import io.sluice.store.segment.Durable;

/** Producers of a partition to which nothing is written: none is known, and none keeps others out. */
record ReadOnlyProducers(PartitionLog log) implements PartitionProducers {
    @Override
    public long idOf(String name) {
        return log.producers().idOf(name); // by the name alone
    }

    @Override
    public long lastSequenceId(long producerId) {
        return -1;
    }

    @Override
    public void whenLastIsDurable(long producerId, Durable done) {
        done.durable();
    }

    @Override
    public long exclusiveEpoch() {
        return -1;
    }

    @Override
    public void raiseExclusiveEpoch(long epoch, Durable done) {
        log.container().barrier(done);
    }
}
