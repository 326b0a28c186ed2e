package io.sluice.broker;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;

/** Entries whose body means nothing: what the log looks at is the header. */
public final class TestEntries {
    private TestEntries() {}

    /** {@code count} messages of nobody in particular. */
    public static ByteBuf plain(int count, int bodyBytes, long timestamp) {
        return kafka(EntryHeader.NO_PRODUCER, (short) -1, -1, count, bodyBytes, timestamp);
    }

    public static ByteBuf kafka(long producer, short epoch, int sequence, int count, int bodyBytes, long timestamp) {
        return entry(EntryFormat.KAFKA_V2, producer, epoch, sequence, count, bodyBytes, timestamp);
    }

    /** A batch of {@code count} messages with the sequence ids {@code highest - count + 1} to {@code highest}. */
    public static ByteBuf pulsar(long producer, long highest, int count, int bodyBytes, long timestamp) {
        ByteBuf b = entry(EntryFormat.PULSAR, producer, (short) 0, count - 1, count, bodyBytes + 8, timestamp);
        return b.setLong(EntryHeader.SIZE, highest);
    }

    /** As {@link #pulsar}, in a transaction. */
    public static ByteBuf pulsarIn(
            long transaction, long producer, long highest, int count, int bodyBytes, long timestamp) {
        ByteBuf b = entry(
                EntryFormat.PULSAR_TRANSACTIONAL,
                producer,
                (short) 0,
                count - 1,
                count,
                bodyBytes + 2 * Long.BYTES,
                timestamp);
        return b.setLong(EntryHeader.SIZE, highest).setLong(EntryHeader.SIZE + Long.BYTES, transaction);
    }

    private static ByteBuf entry(
            byte format, long producer, short epoch, int sequence, int count, int bodyBytes, long timestamp) {
        ByteBuf b = Unpooled.buffer(EntryHeader.SIZE + bodyBytes);
        b.writeLong(0).writeInt(EntryHeader.SIZE + bodyBytes - EntryHeader.LENGTH_OVERHEAD);
        b.writeInt(0).writeByte(format).writeInt(0).writeShort(0);
        b.writeInt(count - 1).writeLong(timestamp).writeLong(timestamp);
        b.writeLong(producer).writeShort(epoch).writeInt(sequence).writeInt(count);
        return b.writeZero(bodyBytes);
    }
}
