package io.sluice.pulsar.dispatch;

import io.sluice.store.segment.StoreFailure;

/** Answer to {@link PartitionHub#locate}; exactly one method is called, on the loop. */
public interface EntryLocation {
    void entry(long base, int count);

    /** The offset is before the start or at the end of the log. */
    void gone();

    void failed(StoreFailure why);
}
