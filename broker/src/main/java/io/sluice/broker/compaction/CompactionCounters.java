package io.sluice.broker.compaction;

import java.util.concurrent.atomic.LongAdder;

/** Counters of compaction since the process began; they only rise. */
public final class CompactionCounters {
    private final LongAdder compactions = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder writtenBytes = new LongAdder();

    void compacted(long bytesBefore, long bytesAfter) {
        compactions.increment();
        readBytes.add(bytesBefore);
        writtenBytes.add(bytesAfter);
    }

    void failed() {
        failures.increment();
    }

    public long compactions() {
        return compactions.sum();
    }

    /** Compactions that were given up. */
    public long failures() {
        return failures.sum();
    }

    /** Bytes that compactions have read to copy what stays. */
    public long readBytes() {
        return readBytes.sum();
    }

    /** Bytes that stayed. */
    public long writtenBytes() {
        return writtenBytes.sum();
    }
}
