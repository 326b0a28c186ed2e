package io.sluice.broker.entry;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/**
 * The entry that holds a piece of a partition's index of delayed entries, a {@link ControlBatch}. The server alone writes it.
 *
 * <pre>
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
            return ControlBatch.of(allocator, TYPE, value, now);
        }
    }

    /** Whether the entry at {@code at} is one. */
    public static boolean is(ByteBuf b, int at) {
        return ControlBatch.type(b, at) == TYPE;
    }

    /** @throws IllegalStateException a newer server wrote it */
    public static DelayRun read(ByteBuf b, int at) {
        return head(ControlBatch.value(b, at));
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
        ByteBuf value = ControlBatch.value(b, at);
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
