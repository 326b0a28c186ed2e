package io.sluice.broker.log;

import io.sluice.store.segment.StoreFailure;

/**
 * Answer to {@link PartitionLog#read}. Exactly one method is called, once, on the container's loop: before the read returns, or at any
 * time later. Only when the container has stopped meanwhile may {@link #failed} come on another thread.
 */
public interface EntriesReply {
    /** The callee owns and releases {@code entries}. */
    void entries(Entries entries);

    /** {@code offset} is the durable end: there is nothing yet. */
    void atEnd();

    /** {@code offset} lies before the start or after the end. */
    void outOfRange(long startOffset, long endOffset);

    void failed(StoreFailure why);
}
