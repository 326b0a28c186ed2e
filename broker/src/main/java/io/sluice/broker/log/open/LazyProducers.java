package io.sluice.broker.log.open;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionProducers;
import io.sluice.store.segment.Durable;

/** Named producers of a partition that is made by the first of them. */
record LazyProducers(PartitionCreator creator) implements PartitionProducers {
    /** By the name alone, and so the same when it is made. */
    @Override
    public long idOf(String name) {
        PartitionLog log = creator.getOrCreate();
        if (log == null) {
            throw new IllegalStateException(creator.gone().message());
        }
        return log.producers().idOf(name);
    }

    @Override
    public long lastSequenceId(long producerId) {
        PartitionLog log = creator.existing();
        return log == null ? -1 : log.producers().lastSequenceId(producerId);
    }

    @Override
    public void whenLastIsDurable(long producerId, Durable done) {
        PartitionLog log = creator.existing();
        if (log == null) {
            done.durable();
        } else {
            log.producers().whenLastIsDurable(producerId, done);
        }
    }

    @Override
    public long exclusiveEpoch() {
        PartitionLog log = creator.existing();
        return log == null ? -1 : log.producers().exclusiveEpoch();
    }

    @Override
    public void raiseExclusiveEpoch(long epoch, Durable done) {
        PartitionLog log = creator.getOrCreate();
        if (log == null) {
            done.failed(creator.gone());
        } else {
            log.producers().raiseExclusiveEpoch(epoch, done);
        }
    }
}
