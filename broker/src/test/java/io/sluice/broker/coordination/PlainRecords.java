package io.sluice.broker.coordination;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records as lengths and bytes behind an entry's header; a tombstone's length is -1. */
final class PlainRecords implements RecordFormat {
    @Override
    public byte entryFormat() {
        return EntryFormat.KAFKA_V2;
    }

    @Override
    public void decode(ByteBuffer entries, Reader reader) {
        ByteBuf bytes = Unpooled.wrappedBuffer(entries.duplicate());
        for (int at = 0; at < bytes.readableBytes(); at += EntryHeader.size(bytes, at)) {
            long transaction = EntryHeader.producerId(bytes, at);
            if (EndMarker.is(bytes, at)) {
                reader.ended(transaction, EndMarker.commits(bytes, at));
                continue;
            }
            long offset = EntryHeader.baseOffset(bytes, at);
            ByteBuffer body = bytes.nioBuffer(at + EntryHeader.SIZE, EntryHeader.size(bytes, at) - EntryHeader.SIZE);
            while (body.hasRemaining()) {
                ByteBuffer key = next(body);
                if (key == null) {
                    throw new AssertionError("a record without a key");
                }
                reader.record(new LogRecord(key, next(body), 0), offset++, transaction);
            }
        }
    }

    private static @Nullable ByteBuffer next(ByteBuffer body) {
        int length = body.getInt();
        if (length < 0) {
            return null;
        }
        ByteBuffer bytes = body.slice(body.position(), length);
        body.position(body.position() + length);
        return bytes;
    }

    @Override
    public ByteBuffer encode(List<LogRecord> records) {
        ByteBuf body = Unpooled.buffer();
        for (LogRecord record : records) {
            put(body, record.key());
            put(body, record.value());
        }
        ByteBuf entry = TestEntries.plain(records.size(), body.readableBytes(), 0);
        entry.setBytes(EntryHeader.SIZE, body);
        return entry.nioBuffer();
    }

    /** The same as a part of a producer's transaction, epoch 0. */
    ByteBuffer encode(List<LogRecord> records, long transaction) {
        ByteBuf entry = Unpooled.wrappedBuffer(encode(records));
        entry.setShort(21, EntryHeader.TRANSACTIONAL);
        entry.setLong(43, transaction).setShort(51, 0).setInt(53, -1);
        return entry.nioBuffer();
    }

    private static void put(ByteBuf body, @Nullable ByteBuffer bytes) {
        body.writeInt(bytes == null ? -1 : bytes.remaining());
        if (bytes != null) {
            body.writeBytes(bytes.duplicate());
        }
    }
}
