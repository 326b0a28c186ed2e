package io.sluice.transactions;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.broker.entry.EndMarker;

/**
 * End of a producer's transaction in a partition.
 *
 * @param coordinatorEpoch rises with each owner of the id; partitions refuse the markers of earlier ones
 * @param commit false to abort
 */
public record Marker(ProducerIdentity producer, int coordinatorEpoch, boolean commit) {
    /**
     * The entry that it is in a partition; the caller releases it.
     *
     * @param now milliseconds since the epoch
     */
    public ByteBuf entry(long now) {
        return EndMarker.entry(
                PooledByteBufAllocator.DEFAULT, producer.id(), producer.epoch(), coordinatorEpoch, commit, now);
    }
}
