package io.sluice.kafka.fetch;

import io.sluice.broker.log.Isolation;
import io.sluice.store.segment.SegmentContainer;
import org.apache.kafka.common.protocol.Errors;

/** The fetch that {@link FetchWatches} tell of changes. Any thread. */
interface FetchUnderWay {
    Isolation isolation();

    /** Bytes that it waits for. */
    long minBytes();

    /** There is enough to read now. */
    void trigger(SegmentContainer where);

    /** More bytes lie before readers than were counted. */
    void countWaiting(long more);

    /** A watched partition's log is gone. */
    void lost(FetchPartition partition, Errors error);

    /** Answers with what there is. */
    void expireNow();
}
