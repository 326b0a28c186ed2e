package io.sluice.broker.entry;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32C;

/**
 * The entry that keeps the offsets of another of which nothing is left: a Kafka batch without records, over which the readers of both
 * protocols pass.
 */
public final class EmptyBatch {
    private static final short NO_EPOCH = -1;
    private static final int NO_SEQUENCE = -1;

    private EmptyBatch() {}

    /** A batch with offsets, epoch and time of the entry at {@code at}, which is left alone; on the heap. */
    public static ByteBuf of(ByteBuf entries, int at) {
        ByteBuf b = Unpooled.buffer(EntryHeader.SIZE, EntryHeader.SIZE);
        b.writeLong(EntryHeader.baseOffset(entries, at)).writeInt(EntryHeader.SIZE - EntryHeader.LENGTH_OVERHEAD);
        b.writeInt(EntryHeader.leaderEpoch(entries, at))
                .writeByte(EntryFormat.KAFKA_V2)
                .writeInt(0);
        b.writeShort(0).writeInt(EntryHeader.lastOffsetDelta(entries, at));
        b.writeLong(EntryHeader.maxTimestamp(entries, at)).writeLong(EntryHeader.maxTimestamp(entries, at));
        b.writeLong(EntryHeader.NO_PRODUCER)
                .writeShort(NO_EPOCH)
                .writeInt(NO_SEQUENCE)
                .writeInt(0);
        CRC32C crc = new CRC32C();
        crc.update(b.nioBuffer(EntryHeader.CRC_FROM, EntryHeader.SIZE - EntryHeader.CRC_FROM));
        return b.setInt(EntryHeader.CRC_FROM - Integer.BYTES, (int) crc.getValue());
    }
}
