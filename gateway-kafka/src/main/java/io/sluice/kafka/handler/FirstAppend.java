package io.sluice.kafka.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.store.segment.StoreFailure;
import java.util.function.LongConsumer;

/**
 * Answer to a read of the batch that a repeated one repeats: tells when it was appended.
 *
 * @param offset base offset of the batch
 * @param time told milliseconds since the epoch; -1 if the batch has its producer's time, or cannot be read any more
 */
record FirstAppend(long offset, LongConsumer time) implements EntriesReply {
    private static final int LOG_APPEND_TIME = 0x08;

    @Override
    public void entries(Entries entries) {
        ByteBuf bytes = entries.bytes();
        int at = bytes.readerIndex();
        boolean known = entries.format() == EntryFormat.KAFKA_V2
                && EntryHeader.baseOffset(bytes, at) == offset
                && (EntryHeader.attributes(bytes, at) & LOG_APPEND_TIME) != 0;
        long appended = known ? EntryHeader.maxTimestamp(bytes, at) : -1;
        bytes.release();
        time.accept(appended);
    }

    @Override
    public void atEnd() {
        time.accept(-1);
    }

    @Override
    public void outOfRange(long startOffset, long endOffset) {
        time.accept(-1);
    }

    @Override
    public void failed(StoreFailure why) {
        time.accept(-1);
    }
}
