package io.sluice.kafka.coordinator;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** One read of an offsets partition, up to everything that has been sequenced: it waits for what is not durable yet. */
final class OffsetsRead implements LoopTask, EntriesReply, PartitionLog.TailWaiter {
    /** Bytes of one read; a single larger batch still comes whole. */
    static final int MAX_BYTES = 1 << 20;

    /**
     * @param batches whole batches; empty at the sequenced end
     * @param nextOffset where to go on
     */
    record Chunk(MemoryRecords batches, long nextOffset) {
        boolean isEnd() {
            return batches.sizeInBytes() == 0;
        }
    }

    private final PartitionLog log;
    private final long offset;
    private final LoopAnswer<Chunk> answer = new LoopAnswer<>();

    private OffsetsRead(PartitionLog log, long offset) {
        this.log = log;
        this.offset = offset;
    }

    /** @throws org.apache.kafka.common.KafkaException see {@link CoordinatorErrors} */
    static Chunk read(PartitionLog log, long offset, Duration atMost) {
        OffsetsRead read = new OffsetsRead(log, offset);
        log.container().execute(read);
        return read.answer.await(atMost);
    }

    @Override
    public void run() {
        log.read(offset, MAX_BYTES, Isolation.UNCOMMITTED, this);
    }

    @Override
    public void abandoned(StoreFailure why) {
        failed(why);
    }

    @Override
    public void entries(Entries entries) {
        ByteBuf bytes = entries.bytes();
        try {
            if (entries.format() != EntryFormat.KAFKA_V2) {
                answer.fail(new CorruptRecordException("the offsets topic holds an entry of format " + entries.format()
                        + " at offset " + offset + "; only the group coordinator writes it"));
                return;
            }
            ByteBuffer copy = ByteBuffer.allocate(bytes.readableBytes());
            bytes.readBytes(copy);
            copy.flip();
            answer.answer(new Chunk(MemoryRecords.readableRecords(copy), entries.nextOffset()));
        } finally {
            bytes.release();
        }
    }

    @Override
    public void atEnd() {
        if (log.sequencedEnd() > offset) {
            log.await(offset, Isolation.UNCOMMITTED, this);
        } else {
            answer.answer(new Chunk(MemoryRecords.EMPTY, offset));
        }
    }

    @Override
    public void moreToRead() {
        log.read(offset, MAX_BYTES, Isolation.UNCOMMITTED, this);
    }

    @Override
    public void closed(StoreFailure why) {
        failed(why);
    }

    @Override
    public void outOfRange(long startOffset, long endOffset) {
        answer.fail(
                new OffsetOutOfRangeException("offset " + offset + " is outside " + startOffset + " to " + endOffset));
    }

    @Override
    public void failed(StoreFailure why) {
        answer.fail(CoordinatorErrors.of(why));
    }
}
