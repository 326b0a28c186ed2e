package io.sluice.broker.compaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Goes through a partition from one offset to another, some entries at a time. Blocking; one thread. */
final class PartitionScan {
    /** Bytes of one read; a single larger entry still comes whole. */
    private static final int READ_BYTES = 1 << 20;
    /** After a read the scan rests for so many times as long as it waited for the loop, which others wait for as well. */
    private static final int RESTS = 4;

    private static final long MOST_REST_MILLIS = 500;

    private final Reading reading;
    private final LoopSteps steps;
    private final long end;
    private long next;

    /** As {@link PartitionLog#read}. */
    private interface Reading {
        void read(long offset, int maxBytes, EntriesReply reply);
    }

    /** @param end offset at which an entry begins */
    PartitionScan(PartitionLog log, LoopSteps steps, long from, long end) {
        this((offset, maxBytes, reply) -> log.read(offset, maxBytes, Isolation.UNCOMMITTED, reply), steps, from, end);
    }

    /** @param horizon of the view */
    static PartitionScan ofView(PartitionLog log, LoopSteps steps, long horizon) {
        return new PartitionScan(log.view()::read, steps, 0, horizon);
    }

    private PartitionScan(Reading reading, LoopSteps steps, long from, long end) {
        this.reading = reading;
        this.steps = steps;
        this.next = from;
        this.end = end;
    }

    /** @param bytes whole entries of one format, on the heap */
    record Chunk(ByteBuffer bytes, byte format) {}

    /** Null at the end. */
    @Nullable
    Chunk next() throws CompactionException, InterruptedException {
        while (next < end) {
            Answer answer = steps.await(step -> reading.read(next, READ_BYTES, new Reply(step)));
            giveWay();
            next = answer.next;
            if (answer.chunk != null && answer.chunk.bytes.hasRemaining()) {
                return answer.chunk;
            }
        }
        return null;
    }

    private void giveWay() throws InterruptedException {
        long millis = Math.min(MOST_REST_MILLIS, RESTS * steps.lastWaitNanos() / 1_000_000);
        if (millis > 0) {
            Thread.sleep(millis);
        }
    }

    private record Answer(@Nullable Chunk chunk, long next) {}

    private final class Reply implements EntriesReply {
        private final CompletableFuture<Answer> step;

        Reply(CompletableFuture<Answer> step) {
            this.step = step;
        }

        @Override
        public void entries(Entries entries) {
            ByteBuf bytes = entries.bytes();
            try {
                byte[] copy = new byte[lengthBeforeEnd(bytes)];
                bytes.readBytes(copy);
                step.complete(new Answer(new Chunk(ByteBuffer.wrap(copy), entries.format()), entries.nextOffset()));
            } finally {
                bytes.release();
            }
        }

        @Override
        public void atEnd() {
            step.complete(new Answer(null, end));
        }

        /** The entries were deleted meanwhile. */
        @Override
        public void outOfRange(long startOffset, long endOffset) {
            step.complete(new Answer(null, next < startOffset ? startOffset : end));
        }

        @Override
        public void failed(StoreFailure why) {
            step.completeExceptionally(new CompactionException(why.message()));
        }
    }

    /** The last read reaches beyond the end. */
    private int lengthBeforeEnd(ByteBuf entries) {
        int at = entries.readerIndex();
        while (entries.writerIndex() - at >= EntryHeader.SIZE && EntryHeader.baseOffset(entries, at) < end) {
            at += EntryHeader.size(entries, at);
        }
        return at - entries.readerIndex();
    }

    /** Told each entry of {@code bytes}, which are left alone. */
    static void forEach(ByteBuffer bytes, EachEntry each) {
        ByteBuf view = Unpooled.wrappedBuffer(bytes);
        for (int at = 0; at < view.writerIndex(); at += EntryHeader.size(view, at)) {
            each.entry(view, at);
        }
    }

    interface EachEntry {
        void entry(ByteBuf bytes, int at);
    }
}
