package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.index.OffsetIndex;

/**
 * Notes of a partition's segment that change {@link PartitionState}. The first byte is the type; a type keeps its meaning
 * for ever. Types from {@link #FIRST_OF_SUBSCRIPTIONS} on belong to the subscriptions.
 */
public sealed interface PartitionNote {
    byte FIRST_OF_SUBSCRIPTIONS = 16;

    void write(ByteBuf out);

    /** Current time, milliseconds since the epoch: the state itself has no clock. */
    record Clock(long now) implements PartitionNote {
        private static final byte TYPE = 1;

        @Override
        public void write(ByteBuf out) {
            out.writeByte(TYPE);
            out.writeLong(now);
        }
    }

    /**
     * The log starts at {@code offset}. What may be dropped ends at {@code position}, where the entry with {@code baseOffset}
     * begins; it lies in the note because an index after recovery may be coarser than before.
     */
    record Start(long offset, long baseOffset, long position) implements PartitionNote {
        private static final byte TYPE = 2;

        @Override
        public void write(ByteBuf out) {
            out.writeByte(TYPE);
            Packed.writeUnsigned(out, offset);
            Packed.writeUnsigned(out, baseOffset);
            Packed.writeUnsigned(out, position);
        }
    }

    /** An exclusive writer of this epoch took the partition over. */
    record ExclusiveEpoch(long epoch) implements PartitionNote {
        private static final byte TYPE = 3;

        @Override
        public void write(ByteBuf out) {
            out.writeByte(TYPE);
            Packed.writeUnsigned(out, epoch);
        }
    }

    /**
     * A piece of the state that comes from another container, see {@code Handover}.
     *
     * @param bytes lent
     */
    record Arrival(boolean first, boolean last, ByteBuf bytes) implements PartitionNote {
        private static final byte TYPE = 4;
        private static final int FIRST = 1;
        private static final int LAST = 2;

        @Override
        public void write(ByteBuf out) {
            out.writeByte(TYPE);
            out.writeByte((first ? FIRST : 0) | (last ? LAST : 0));
            out.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        }

        private static Arrival read(ByteBuf in) {
            int flags = in.readByte();
            return new Arrival((flags & FIRST) != 0, (flags & LAST) != 0, in.readSlice(in.readableBytes()));
        }
    }

    /** The partition goes on in another container; what is left here are bytes. */
    record Left() implements PartitionNote {
        private static final byte TYPE = 5;

        @Override
        public void write(ByteBuf out) {
            out.writeByte(TYPE);
        }
    }

    /** A segment in another container, of which the partition kept nothing, is deleted. */
    record SegmentGone(long segment) implements PartitionNote {
        private static final byte TYPE = 6;

        @Override
        public void write(ByteBuf out) {
            out.writeByte(TYPE);
            Packed.writeUnsigned(out, segment);
        }
    }

    /** Nothing is appended any more; see {@link PartitionLog#terminate}. */
    record Terminated() implements PartitionNote {
        private static final byte TYPE = 7;

        @Override
        public void write(ByteBuf out) {
            out.writeByte(TYPE);
        }
    }

    /** Entries from {@code offset} on have a ledger of their own in message ids; see {@link MessageLedgers}. */
    record Ledger(long offset, int epoch) implements PartitionNote {
        private static final byte TYPE = 12;

        @Override
        public void write(ByteBuf out) {
            out.writeByte(TYPE);
            Packed.writeUnsigned(out, offset);
            Packed.writeUnsigned(out, epoch);
        }
    }

    /**
     * The entries below {@code position}, where the entry with {@code offset} begins, lie in {@code segment} from here on, as far as
     * they are left.
     *
     * @param container of the segment
     * @param length of the segment, bytes; all of it
     * @param index of the segment's entries, positions in the segment
     * @param all nothing of it is gone: it only lies elsewhere now
     */
    record Compacted(
            int container, long segment, long length, long offset, long position, OffsetIndex index, boolean all)
            implements PartitionNote {
        private static final byte TYPE = 13;
        private static final byte TYPE_OF_ALL = 15;

        @Override
        public void write(ByteBuf out) {
            out.writeByte(all ? TYPE_OF_ALL : TYPE);
            Packed.writeUnsigned(out, container);
            Packed.writeUnsigned(out, segment);
            Packed.writeUnsigned(out, length);
            Packed.writeUnsigned(out, offset);
            Packed.writeUnsigned(out, position);
            index.snapshot(out);
        }

        private static Compacted read(boolean all, ByteBuf in) {
            int container = Packed.readCount(in);
            long segment = Packed.readUnsigned(in);
            long length = Packed.readUnsigned(in);
            long offset = Packed.readUnsigned(in);
            long position = Packed.readUnsigned(in);
            return new Compacted(container, segment, length, offset, position, OffsetIndex.restore(in), all);
        }

        /** Where the segment's bytes stand in the partition: right before what follows them. */
        long from() {
            return position - length;
        }
    }

    /**
     * Readers that ask for what is compacted find below {@code horizon} what lies in {@code segment}, beside the log. No view any more
     * if the horizon is 0.
     *
     * @param container of the segment
     * @param length of the segment, bytes; all of it. Nothing is left if it is 0
     * @param last offset of the last entry in the segment, which begins at {@code lastPosition}; 0 if nothing is left
     * @param index of the segment's entries, positions in the segment
     */
    record View(int container, long segment, long length, long horizon, long last, long lastPosition, OffsetIndex index)
            implements PartitionNote {
        private static final byte TYPE = 14;

        public static View none(int container) {
            return new View(container, 0, 0, 0, 0, 0, new OffsetIndex());
        }

        @Override
        public void write(ByteBuf out) {
            out.writeByte(TYPE);
            writeBody(out);
        }

        void writeBody(ByteBuf out) {
            Packed.writeUnsigned(out, container);
            Packed.writeUnsigned(out, segment);
            Packed.writeUnsigned(out, length);
            Packed.writeUnsigned(out, horizon);
            Packed.writeUnsigned(out, last);
            Packed.writeUnsigned(out, lastPosition);
            index.snapshot(out);
        }

        static View read(ByteBuf in) {
            int container = Packed.readCount(in);
            long segment = Packed.readUnsigned(in);
            long length = Packed.readUnsigned(in);
            long horizon = Packed.readUnsigned(in);
            long last = Packed.readUnsigned(in);
            long lastPosition = Packed.readUnsigned(in);
            return new View(container, segment, length, horizon, last, lastPosition, OffsetIndex.restore(in));
        }
    }

    /** The note of this type; the type byte has been read. */
    static PartitionNote read(byte type, ByteBuf in) {
        return switch (type) {
            case Clock.TYPE -> new Clock(in.readLong());
            case Start.TYPE -> new Start(Packed.readUnsigned(in), Packed.readUnsigned(in), Packed.readUnsigned(in));
            case ExclusiveEpoch.TYPE -> new ExclusiveEpoch(Packed.readUnsigned(in));
            case Arrival.TYPE -> Arrival.read(in);
            case Left.TYPE -> new Left();
            case Terminated.TYPE -> new Terminated();
            case SegmentGone.TYPE -> new SegmentGone(Packed.readUnsigned(in));
            case Compacted.TYPE -> Compacted.read(false, in);
            case Compacted.TYPE_OF_ALL -> Compacted.read(true, in);
            case View.TYPE -> View.read(in);
            case Ledger.TYPE -> new Ledger(Packed.readUnsigned(in), Packed.readCount(in));
            default ->
                throw new IllegalStateException(
                        "note of unknown type " + type + ": a newer version wrote this partition");
        };
    }
}
