package io.sluice.broker.compaction;

import static io.sluice.broker.compaction.CompactionAnswers.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Goes through a partition from one offset to another, some entries at a time; the next are read while the caller works on the last. A
 * scan that is not gone through to its end may be dropped. Blocking; one thread.
 */
final class PartitionScan {
    /** Bytes of one read; a single larger entry still comes whole. */
    private static final int READ_BYTES = 1 << 20;
    /** After a read the scan rests for so many times as long as it waited for the loop, which others wait for as well. */
    private static final int RESTS = 4;

    private static final long MOST_REST_MILLIS = 500;

    private final SegmentContainer container;
    private final Reading reading;
    private final long end;
    private long next;
    /** The read of what comes next, if there is one. */
    private @Nullable Answer<Piece> ahead;
    /** How long the last step waited until the loop took it; written on the loop. */
    private volatile long lastWaitNanos;

    /** As {@link PartitionLog#read}. */
    private interface Reading {
        void read(long offset, int maxBytes, EntriesReply reply);
    }

    /** @param end offset at which an entry begins */
    PartitionScan(PartitionLog log, long from, long end) {
        this(log, (offset, maxBytes, reply) -> log.read(offset, maxBytes, Isolation.UNCOMMITTED, reply), from, end);
    }

    /** @param horizon of the view */
    static PartitionScan ofView(PartitionLog log, long horizon) {
        return new PartitionScan(log, log.view()::read, 0, horizon);
    }

    private PartitionScan(PartitionLog log, Reading reading, long from, long end) {
        this.container = log.container();
        this.reading = reading;
        this.next = from;
        this.end = end;
    }

    /** @param bytes whole entries of one format, on the heap */
    record Chunk(ByteBuffer bytes, byte format) {
        /** Takes the next entries out of the chunk, up to one that is left out; null at its end. */
        @Nullable
        ByteBuffer nextBut(LeftOut leftOut) {
            ByteBuf view = Unpooled.wrappedBuffer(bytes);
            int from = 0;
            while (from < view.writerIndex() && leftOut.is(view, from)) {
                leftOut.passed(view, from);
                from += EntryHeader.size(view, from);
            }
            int to = from;
            while (to < view.writerIndex() && !leftOut.is(view, to)) {
                to += EntryHeader.size(view, to);
            }
            ByteBuffer run = bytes.slice(bytes.position() + from, to - from);
            bytes.position(bytes.position() + to);
            return run.hasRemaining() ? run : null;
        }
    }

    /** Says which entries of a chunk are left out. */
    interface LeftOut {
        boolean is(ByteBuf bytes, int at);

        /** One of them is passed over. */
        default void passed(ByteBuf bytes, int at) {}
    }

    /** Null at the end. */
    @Nullable
    Chunk next() throws CompactionException, InterruptedException {
        while (next < end) {
            Piece piece = await(ahead == null ? read() : ahead);
            giveWay();
            next = piece.next;
            ahead = next < end ? read() : null;
            if (piece.chunk != null && piece.chunk.bytes.hasRemaining()) {
                return piece.chunk;
            }
        }
        return null;
    }

    private Answer<Piece> read() {
        long asked = System.nanoTime();
        return container.ask(answer -> {
            lastWaitNanos = System.nanoTime() - asked;
            reading.read(next, READ_BYTES, new Reply(answer));
        });
    }

    private void giveWay() throws InterruptedException {
        long millis = Math.min(MOST_REST_MILLIS, RESTS * lastWaitNanos / 1_000_000);
        if (millis > 0) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // as CompactionAnswers does
                throw e;
            }
        }
    }

    private record Piece(@Nullable Chunk chunk, long next) {}

    private final class Reply implements EntriesReply {
        private final Answer<Piece> answer;

        Reply(Answer<Piece> answer) {
            this.answer = answer;
        }

        @Override
        public void entries(Entries entries) {
            ByteBuf bytes = entries.bytes();
            try {
                byte[] copy = new byte[lengthBeforeEnd(bytes)];
                bytes.readBytes(copy);
                answer.complete(new Piece(new Chunk(ByteBuffer.wrap(copy), entries.format()), entries.nextOffset()));
            } finally {
                bytes.release();
            }
        }

        @Override
        public void atEnd() {
            answer.complete(new Piece(null, end));
        }

        /** The entries were deleted meanwhile. */
        @Override
        public void outOfRange(long startOffset, long endOffset) {
            answer.complete(new Piece(null, next < startOffset ? startOffset : end));
        }

        @Override
        public void failed(StoreFailure why) {
            answer.fail(why);
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
