package io.sluice.server.containers;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A partition's appends and reads as futures; entries of one message, each with a number in its body. */
public final class PartitionCalls {
    private static final int NUMBER = EntryHeader.SIZE;

    private PartitionCalls() {}

    /** The entry's offset once it is acknowledged; fails with a {@code StoreException}. */
    public static CompletableFuture<Long> append(PartitionLog log, long number, int bodyBytes) {
        return log.container().askAppend(offset -> log.append(entry(number, bodyBytes), new Appended(offset)));
    }

    private record Appended(Answer<Long> offset) implements AppendReply {
        @Override
        public void appended(long baseOffset, long lastOffset) {
            offset.complete(baseOffset);
        }

        @Override
        public void duplicate(long baseOffset, long lastOffset) {
            offset.completeExceptionally(new AssertionError("duplicate"));
        }

        @Override
        public void rejected(AppendRejection why) {
            offset.completeExceptionally(new AssertionError(why.message()));
        }

        @Override
        public void failed(StoreFailure why) {
            offset.fail(why);
        }
    }

    /** The numbers of all entries, by offset. */
    public static List<Long> readAll(PartitionLog log) throws Exception {
        List<Long> numbers = new ArrayList<>();
        while (true) {
            Answer<Boolean> read = log.container()
                    .ask(more -> log.read(numbers.size(), 1 << 20, Isolation.UNCOMMITTED, new Read(numbers, more)));
            if (!read.get(30, TimeUnit.SECONDS)) {
                return numbers;
            }
        }
    }

    private record Read(List<Long> numbers, Answer<Boolean> more) implements EntriesReply {
        @Override
        public void entries(Entries entries) {
            ByteBuf bytes = entries.bytes();
            for (int at = bytes.readerIndex(); at < bytes.writerIndex(); ) {
                if (EntryHeader.baseOffset(bytes, at) != numbers.size()) {
                    more.completeExceptionally(new AssertionError("offset " + EntryHeader.baseOffset(bytes, at)
                            + " where " + numbers.size() + " comes next"));
                    bytes.release();
                    return;
                }
                numbers.add(bytes.getLong(at + NUMBER));
                at += bytes.getInt(at + 8) + EntryHeader.LENGTH_OVERHEAD;
            }
            bytes.release();
            more.complete(true);
        }

        @Override
        public void atEnd() {
            more.complete(false);
        }

        @Override
        public void outOfRange(long startOffset, long endOffset) {
            more.completeExceptionally(new AssertionError(startOffset + ".." + endOffset));
        }

        @Override
        public void failed(StoreFailure why) {
            more.fail(why);
        }
    }

    private static ByteBuf entry(long number, int bodyBytes) {
        int bytes = EntryHeader.SIZE + bodyBytes;
        return Unpooled.directBuffer(bytes)
                .writeZero(bytes)
                .setInt(8, bytes - EntryHeader.LENGTH_OVERHEAD)
                .setByte(16, EntryFormat.KAFKA_V2)
                .setLong(43, EntryHeader.NO_PRODUCER)
                .setInt(57, 1)
                .setLong(NUMBER, number);
    }
}
