package io.sluice.broker.log.open;

import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.PartitionProducers;
import io.sluice.broker.log.state.PartitionNote;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;

/** Named producers of a partition that is open here. */
record LogProducers(PartitionStore store, PartitionState state) implements PartitionProducers {
    @Override
    public long idOf(String name) {
        return ProducerIds.named(name);
    }

    @Override
    public long lastSequenceId(long producerId) {
        return state.lastSequenceId(producerId);
    }

    @Override
    public void whenLastIsDurable(long producerId, Durable done) {
        store.whenDurable(state.lastOffset(producerId), done);
    }

    @Override
    public long exclusiveEpoch() {
        return state.exclusiveEpoch();
    }

    @Override
    public void raiseExclusiveEpoch(long epoch, Durable done) {
        StoreFailure closed = store.closed();
        if (closed != null) {
            done.failed(closed);
        } else if (epoch <= exclusiveEpoch()) {
            store.container().barrier(done);
        } else {
            store.note(done, new PartitionNote.ExclusiveEpoch(epoch));
        }
    }
}
