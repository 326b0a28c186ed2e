package io.sluice.pulsar.dispatch;

import io.sluice.store.segment.StoreFailure;

/** Answer to {@link PartitionHub#locate}; exactly one method is called, on the loop. */
public interface EntryLocation {
    /** The entry with the offsets {@code [base, base + offsets)}. */
    void entry(long base, int offsets);

    /** The offset is before the start or at the end of the log. */
    void gone();

    void failed(StoreFailure why);
}
