package io.sluice.kafka.fetch;

import io.sluice.broker.log.PartitionLog;

/** A watch on a partition's log, as the {@link FetchPartition} knows it. Where nothing else is said, on the loop of the log's container. */
interface LogWatch {
    /** Any thread. */
    PartitionLog log();

    /** Whether it tells of changes of this log. Any thread. */
    boolean isOn(PartitionLog other);

    /** @param offset that the reader has when the log is looked at */
    void setFrom(long offset);

    /** Bytes before the reader that have not been counted for the fetch under way. */
    long count();

    /** Ends soon. Any thread. */
    void endSoon();
}
