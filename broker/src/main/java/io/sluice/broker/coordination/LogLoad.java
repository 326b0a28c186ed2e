package io.sluice.broker.coordination;

import io.sluice.broker.log.PartitionLog;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads a coordinator log from its start to its sequenced end, one chunk of about 1 MiB at a time. One thread. */
public final class LogLoad {
    private final PartitionLog partition;
    private final int chunkBytes;
    private final byte format;
    private final Runnable atEnd;
    private long next = LogRead.FROM_START;

    /** @param atEnd run on the loop when everything that the log holds has been read, before anything else can be sequenced */
    LogLoad(PartitionLog partition, int chunkBytes, byte format, Runnable atEnd) {
        this.partition = partition;
        this.chunkBytes = chunkBytes;
        this.format = format;
        this.atEnd = atEnd;
    }

    /**
     * The next whole entries. After a failure it may be asked again, for the same ones.
     *
     * @return null at the end: the state machine may append from now on, at {@link #offset}
     * @throws CoordinatorLogException as the loop answers
     */
    public @Nullable ByteBuffer next(Duration atMost) {
        LogRead.Chunk chunk = LogRead.read(partition, next, chunkBytes, format, atEnd, atMost);
        next = chunk.nextOffset();
        return chunk.isEnd() ? null : chunk.entries();
    }

    /** Where the next read begins; -1 before the first. */
    public long offset() {
        return next;
    }
}
