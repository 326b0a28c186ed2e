package io.sluice.broker.coordination;

import io.sluice.store.segment.StoreFailure;

/** Result of a batch that has an offset; one of its methods is called, once, on the container's loop. */
public interface AppendCompletion {
    /** @param end the offset after its last record */
    void durable(long end);

    /** The container's term ended: the batch may or may not be in the log. */
    void lost(StoreFailure why);
}
