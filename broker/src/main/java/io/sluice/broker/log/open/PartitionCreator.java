package io.sluice.broker.log.open;

import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** Creates a partition with its first write. On the container's loop. */
interface PartitionCreator {
    /** Any thread. */
    SegmentContainer container();

    /** Null until it is created. */
    @Nullable
    PartitionLog existing();

    /** Creates it unless it exists; null if it cannot be created here. */
    @Nullable
    PartitionLog getOrCreate();

    /** Reason it cannot be created. */
    StoreFailure gone();
}
