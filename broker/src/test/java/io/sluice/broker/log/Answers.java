package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionLog.OffsetAndTime;
import io.sluice.broker.log.PartitionLog.TailWaiter;
import io.sluice.broker.log.PartitionLog.TimeReply;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes down, as text, every answer of a partition log in the order in which they come. */
public final class Answers implements AppendReply, EntriesReply, TailWaiter, TimeReply, Durable {
    private final LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private volatile ByteBuf lastRead = Unpooled.EMPTY_BUFFER;
    private volatile long nextOffset;

    /** The next answer, waiting for up to ten seconds. */
    public String await() {
        try {
            String next = answers.poll(30, TimeUnit.SECONDS);
            return next == null ? "nothing" : next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** The next answer if it is there already. */
    public @Nullable String next() {
        return answers.poll();
    }

    /** A copy of what the last read brought. */
    public ByteBuf lastRead() {
        return lastRead;
    }

    /** Where the last read said to go on. */
    public long nextOffset() {
        return nextOffset;
    }

    @Override
    public void appended(long baseOffset, long lastOffset) {
        answers.add("appended " + baseOffset + ".." + lastOffset);
    }

    @Override
    public void duplicate(long baseOffset, long lastOffset) {
        answers.add("duplicate " + baseOffset + ".." + lastOffset);
    }

    @Override
    public void rejected(AppendRejection why) {
        answers.add("rejected " + why.getClass().getSimpleName());
    }

    @Override
    public void entries(Entries entries) {
        nextOffset = entries.nextOffset();
        lastRead = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(entries.bytes()));
        answers.add("entries " + entries.bytes().readableBytes() + " next " + entries.nextOffset());
        entries.bytes().release();
    }

    @Override
    public void atEnd() {
        answers.add("at end");
    }

    @Override
    public void outOfRange(long startOffset, long endOffset) {
        answers.add("out of range " + startOffset + ".." + endOffset);
    }

    @Override
    public void found(OffsetAndTime entryBase) {
        answers.add("found " + entryBase.offset() + " at " + entryBase.timestamp());
    }

    @Override
    public void moreToRead() {
        answers.add("more to read");
    }

    @Override
    public void closed(StoreFailure why) {
        answers.add("closed");
    }

    @Override
    public void durable() {
        answers.add("durable");
    }

    @Override
    public void failed(StoreFailure why) {
        answers.add("failed " + why.getClass().getSimpleName());
    }
}
