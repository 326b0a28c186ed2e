package io.sluice.server;

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
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A partition's appends and reads as futures; entries of one message, each with a number in its body. */
final class PartitionCalls {
    private static final int NUMBER = EntryHeader.SIZE;

    private PartitionCalls() {}

    /** What the store failed a call with. */
    static final class Refused extends RuntimeException {
        final StoreFailure why;

        Refused(StoreFailure why) {
            super(why.message());
            this.why = why;
        }
    }

    /** The entry's offset once it is acknowledged; fails with {@link Refused}. */
    static CompletableFuture<Long> append(PartitionLog log, long number, int bodyBytes) {
        var offset = new CompletableFuture<Long>();
        ByteBuf entry = entry(number, bodyBytes);
        log.container().executeAppend(LoopTask.of(() -> log.append(entry, new Appended(offset)), why -> {
            entry.release();
            offset.completeExceptionally(new Refused(why));
        }));
        return offset;
    }

    private record Appended(CompletableFuture<Long> offset) implements AppendReply {
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
            offset.completeExceptionally(new Refused(why));
        }
    }

    /** The numbers of all entries, by offset. */
    static List<Long> readAll(PartitionLog log) throws Exception {
        List<Long> numbers = new ArrayList<>();
        while (true) {
            var read = new CompletableFuture<Boolean>();
            log.container()
                    .execute(LoopTask.of(
                            () -> log.read(numbers.size(), 1 << 20, Isolation.UNCOMMITTED, new Read(numbers, read)),
                            why -> read.completeExceptionally(new Refused(why))));
            if (!read.get(30, TimeUnit.SECONDS)) {
                return numbers;
            }
        }
    }

    private record Read(List<Long> numbers, CompletableFuture<Boolean> more) implements EntriesReply {
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
            more.completeExceptionally(new Refused(why));
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
