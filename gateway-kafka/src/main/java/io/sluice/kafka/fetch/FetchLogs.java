package io.sluice.kafka.fetch;

import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.api.NamedLeaders;
import org.jspecify.annotations.Nullable;

/** Finds the logs of partitions as they are at one moment; for one thread. */
public interface FetchLogs {
    /** Null if the partition cannot be read: then it has been {@linkplain FetchPartition#fail failed}. */
    @Nullable
    PartitionLog find(FetchPartition partition);

    /** Whether the client may read the partition's topic. */
    boolean mayRead(FetchPartition partition);

    /** Version of clients' rights: nothing that was allowed at one version may be otherwise at the same. */
    long rights();

    /** Leaders that are named to the client. */
    NamedLeaders leaders();
}
