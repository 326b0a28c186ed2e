package io.sluice.store.read;

import io.sluice.store.segment.StoreFailure;

/** Waits for a segment to grow. Exactly one of the two is called, once, unless it was cancelled. */
public interface TailWaiter {
    /** The position waited for is readable now. */
    void grown();

    void closed(StoreFailure why);
}
