package io.sluice.broker.entry;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The entry that holds a piece of a partition's index of delayed entries: a Kafka control batch of one record, whose type Kafka does not
 * know, so that its consumers pass over it. The server alone writes it.
 *
 * <pre>
 *   entry header, then the record: length, attributes, deltas, key (version i16, type i16), value, headers
 *   value: version u8 (1), indexedTo, n, n bases of runs that this one replaces, entries, first time, last time,
 *          entries by (time, base): time and base less those of the entry before, offsets
 * </pre>
 *
 * Numbers in the value are packed; differences of bases are signed.
 *
 * @param indexedTo every delayed entry below it stands in a run, or its time had come
 * @param replaced base offsets of runs that are of no use any more
 * @param entries how many there are
 * @param first earliest time, milliseconds since the epoch; 0 without entries
 * @param last latest time
 */
public record DelayRun(long indexedTo, List<Long> replaced, int entries, long first, long last) {
    /** Far above those of Kafka, and negative in none of its versions. */
    private static final short TYPE = 20_000;

    private static final byte VERSION = 1;

    /** Version and type. */
    private static final int KEY = 4;

    /** The attributes and two deltas of the record, a byte each. */
    private static final int BEFORE_KEY = 3;

    /** Receiver of the entries of a run. */
    public interface Visitor {
        /** False to leave out what follows. */
        boolean entry(long time, long base, int offsets);
    }

    /** Packs entries, which come by (time, base). */
    public static final class Writer {
        private final ByteBuf packed = Unpooled.buffer();
        private int entries;
        private long first;
        private long time;
        private long base;

        public void add(long at, long entry, int offsets) {
            if (entries == 0) {
                first = at;
                time = at;
            }
            Packed.writeUnsigned(packed, at - time);
            Packed.writeSigned(packed, entry - base);
            Packed.writeUnsigned(packed, offsets);
            time = at;
            base = entry;
            entries++;
        }

        public int entries() {
            return entries;
        }

        /** @return ready to be appended; the caller's. May be called again */
        public ByteBuf entry(ByteBufAllocator allocator, long indexedTo, List<Long> replaced, long now) {
            ByteBuf value = Unpooled.buffer();
            value.writeByte(VERSION);
            Packed.writeUnsigned(value, indexedTo);
            Packed.writeUnsigned(value, replaced.size());
            replaced.forEach(each -> Packed.writeUnsigned(value, each));
            Packed.writeUnsigned(value, entries);
            Packed.writeUnsigned(value, first);
            Packed.writeUnsigned(value, time);
            value.writeBytes(packed, 0, packed.writerIndex());
            return batch(allocator, value, now);
        }
    }

    private static ByteBuf batch(ByteBufAllocator allocator, ByteBuf value, long now) {
        ByteBuf record = Unpooled.buffer(value.readableBytes() + 32);
        record.writeByte(0);
        Packed.writeSigned(record, 0);
        Packed.writeSigned(record, 0);
        Packed.writeSigned(record, KEY);
        record.writeShort(0).writeShort(TYPE);
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

    /** Whether the entry at {@code at} is one. */
    public static boolean is(ByteBuf b, int at) {
        return EntryHeader.isControl(b, at)
                && EntryHeader.count(b, at) == 1 // not what compaction has left of a marker
                && !EndMarker.is(b, at)
                && type(record(b, at)) == TYPE;
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

    /** @throws IllegalStateException a newer server wrote it */
    public static DelayRun read(ByteBuf b, int at) {
        return head(value(b, at));
    }

    private static ByteBuf value(ByteBuf b, int at) {
        ByteBuf record = record(b, at);
        type(record);
        return record.readSlice((int) Packed.readSigned(record));
    }

    private static DelayRun head(ByteBuf value) {
        byte version = value.readByte();
        if (version != VERSION) {
            throw new IllegalStateException(
                    "index of delayed entries has version " + version + ": a newer server wrote it");
        }
        long indexedTo = Packed.readUnsigned(value);
        int n = Packed.readCount(value);
        List<Long> replaced = new ArrayList<>(Math.min(n, value.readableBytes()));
        for (; n > 0; n--) {
            replaced.add(Packed.readUnsigned(value));
        }
        return new DelayRun(
                indexedTo, replaced, Packed.readCount(value), Packed.readUnsigned(value), Packed.readUnsigned(value));
    }

    /** Gives the entries of the run at {@code at} by (time, base). */
    public static void forEach(ByteBuf b, int at, Visitor visitor) {
        ByteBuf value = value(b, at);
        DelayRun head = head(value);
        long time = head.first;
        long base = 0;
        for (int i = 0; i < head.entries; i++) {
            time += Packed.readUnsigned(value);
            base += Packed.readSigned(value);
            if (!visitor.entry(time, base, Packed.readCount(value))) {
                return;
            }
        }
    }
}
