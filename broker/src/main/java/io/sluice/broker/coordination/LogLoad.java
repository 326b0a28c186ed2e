package io.sluice.broker.coordination;

import io.sluice.broker.log.PartitionLog;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads a coordinator log from its start to its sequenced end, one chunk of about 1 MiB at a time. Nothing is truncated
 * while it is open: a tombstone not yet read would be missed. One thread.
 */
public final class LogLoad implements AutoCloseable {
    private final CoordinatorLog log;
    private final PartitionLog partition;
    private long next = LogRead.FROM_START;
    private long bytes;

    LogLoad(CoordinatorLog log, PartitionLog partition) {
        this.log = log;
        this.partition = partition;
        log.loadBegins();
    }

    /**
     * The next whole entries. After a failure it may be asked again, for the same ones.
     *
     * @return null at the end: the state machine may append from now on, at {@link #offset}
     * @throws CoordinatorLogException as the loop answers
     */
    public @Nullable ByteBuffer next(Duration atMost) {
        byte format = log.format().entryFormat();
        LogRead.Chunk chunk = LogRead.read(partition, next, format, () -> log.loaded(partition, bytes), atMost);
        next = chunk.nextOffset();
        if (chunk.isEnd()) {
            return null;
        }
        bytes += chunk.entries().remaining();
        return chunk.entries();
    }

    /** Where the next read begins; -1 before the first. */
    public long offset() {
        return next;
    }

    /** Bytes read. */
    public long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        log.loadEnds();
    }
}
