package io.sluice.broker.entry;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32C;

/**
 * An entry that is no message: a Kafka control batch of one record, whose type Kafka does not know, so that its consumers pass over it, as
 * Pulsar's do over all control batches.
 *
 * <pre>
 *   entry header, then the record: length, attributes, deltas, key (version i16, type i16), value, headers
 * </pre>
 */
final class ControlBatch {
    /** Version and type. */
    private static final int KEY = 4;

    /** The attributes and two deltas of the record, a byte each. */
    private static final int BEFORE_KEY = 3;

    private ControlBatch() {}

    /**
     * A batch, ready to be appended; the caller's.
     *
     * @param type far above those of Kafka
     * @param value is read to its end
     * @param now milliseconds since the epoch
     */
    static ByteBuf of(ByteBufAllocator allocator, short type, ByteBuf value, long now) {
        ByteBuf record = Unpooled.buffer(value.readableBytes() + 32);
        record.writeByte(0);
        Packed.writeSigned(record, 0);
        Packed.writeSigned(record, 0);
        Packed.writeSigned(record, KEY);
        record.writeShort(0).writeShort(type);
        Packed.writeSigned(record, value.readableBytes());
        record.writeBytes(value);
        Packed.writeSigned(record, 0);
        ByteBuf length = Unpooled.buffer(5);
        Packed.writeSigned(length, record.readableBytes());
        int size = EntryHeader.SIZE + length.readableBytes() + record.readableBytes();
        ByteBuf b = allocator.buffer(size, size);
        b.writeLong(0).writeInt(size - EntryHeader.LENGTH_OVERHEAD).writeInt(0);
        b.writeByte(EntryFormat.KAFKA_V2).writeInt(0).writeShort(EntryHeader.CONTROL);
        b.writeInt(0).writeLong(now).writeLong(now);
        b.writeLong(EntryHeader.NO_PRODUCER).writeShort(-1).writeInt(-1).writeInt(1);
        b.writeBytes(length).writeBytes(record);
        CRC32C crc = new CRC32C();
        crc.update(b.nioBuffer(EntryHeader.CRC_FROM, size - EntryHeader.CRC_FROM));
        return b.setInt(EntryHeader.CRC_FROM - Integer.BYTES, (int) crc.getValue());
    }

    /** Type of the control batch at {@code at}; -1 if it is another entry, the end of a transaction, or what compaction has left of one. */
    static short type(ByteBuf b, int at) {
        boolean hasType = EntryHeader.isControl(b, at) && EntryHeader.count(b, at) == 1 && !EndMarker.is(b, at);
        return hasType ? type(record(b, at)) : -1;
    }

    /** Value of the record at {@code at}, whose {@link #type} is known. */
    static ByteBuf value(ByteBuf b, int at) {
        ByteBuf record = record(b, at);
        type(record);
        return record.readSlice((int) Packed.readSigned(record));
    }

    /** Behind the length of the record. */
    private static ByteBuf record(ByteBuf b, int at) {
        ByteBuf record = b.slice(at + EntryHeader.SIZE, EntryHeader.size(b, at) - EntryHeader.SIZE);
        Packed.readSigned(record);
        return record;
    }

    /** Leaves the buffer behind the key; -1 if there is none of this form. */
    private static short type(ByteBuf record) {
        if (record.readableBytes() < BEFORE_KEY + 1 + KEY) {
            return -1;
        }
        record.skipBytes(BEFORE_KEY);
        return Packed.readSigned(record) == KEY && record.readShort() == 0 ? record.readShort() : -1;
    }
}
