package io.sluice.broker.coordination;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.time.Duration;

/** One read, up to everything that has been sequenced: it waits for what is not durable yet. */
final class LogRead implements EntriesReply, PartitionLog.TailWaiter {
    /** Bytes of one read. */
    static final int MAX_BYTES = 1 << 20;

    /** For the first offset of the log. */
    static final long FROM_START = -1;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /**
     * @param entries whole entries; empty at the sequenced end
     * @param nextOffset where to go on
     */
    record Chunk(ByteBuffer entries, long nextOffset) {
        boolean isEnd() {
            return !entries.hasRemaining();
        }
    }

    private final PartitionLog log;
    private final int maxBytes;
    private final byte format;
    private final Runnable atEnd;
    private final Answer<Chunk> answer;
    private long offset;

    private LogRead(PartitionLog log, long offset, int maxBytes, byte format, Runnable atEnd, Answer<Chunk> answer) {
        this.log = log;
        this.offset = offset;
        this.maxBytes = maxBytes;
        this.format = format;
        this.atEnd = atEnd;
        this.answer = answer;
    }

    /**
     * @param maxBytes a single larger entry still comes whole
     * @param atEnd run on the loop if nothing has been sequenced from {@code offset} on, before anything else can be
     * @throws CoordinatorLogException as the loop answers
     */
    static Chunk read(PartitionLog log, long offset, int maxBytes, byte format, Runnable atEnd, Duration atMost) {
        Answer<Chunk> chunk =
                log.container().ask(answer -> new LogRead(log, offset, maxBytes, format, atEnd, answer).start());
        return LoopAnswers.await(chunk, atMost);
    }

    private void start() {
        if (offset == FROM_START) {
            offset = log.startOffset();
        }
        moreToRead();
    }

    @Override
    public void entries(Entries entries) {
        ByteBuf bytes = entries.bytes();
        try {
            if (entries.format() != format) {
                failed(new StoreFailure.Corrupt("a coordinator's log holds an entry of format " + entries.format()
                        + " at offset " + offset + "; only the coordinator writes it"));
                return;
            }
            ByteBuffer copy = ByteBuffer.allocate(bytes.readableBytes());
            bytes.readBytes(copy);
            answer.complete(new Chunk(copy.flip(), entries.nextOffset()));
        } finally {
            bytes.release();
        }
    }

    @Override
    public void atEnd() {
        if (log.sequencedEnd() > offset) {
            log.await(offset, Isolation.UNCOMMITTED, this);
        } else {
            atEnd.run();
            answer.complete(new Chunk(NOTHING, offset));
        }
    }

    @Override
    public void moreToRead() {
        log.read(offset, maxBytes, Isolation.UNCOMMITTED, this);
    }

    @Override
    public void closed(StoreFailure why) {
        failed(why);
    }

    @Override
    public void outOfRange(long startOffset, long endOffset) {
        failed(new StoreFailure.OutOfRange(
                log.partitionId(), offset, "offset " + offset + " is outside " + startOffset + " to " + endOffset));
    }

    @Override
    public void failed(StoreFailure why) {
        answer.fail(why);
    }
}
