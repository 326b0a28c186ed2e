package io.sluice.broker.log;

import io.sluice.store.segment.StoreFailure;

/** Answer to {@link PartitionLog#append}. Exactly one method is called, once, on the container's loop. */
public interface AppendReply {
    /** Durable and readable at {@code [baseOffset, lastOffset]}. */
    void appended(long baseOffset, long lastOffset);

    /** The same entry had been appended before, at {@code baseOffset}, and is durable. -1 if it is too old to remember where. */
    void duplicate(long baseOffset, long lastOffset);

    void rejected(AppendRejection why);

    void failed(StoreFailure why);
}
