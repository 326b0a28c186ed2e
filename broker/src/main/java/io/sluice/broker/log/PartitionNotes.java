package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;

/**
 * Notes of a partition's segment that change {@link PartitionState}. The first byte is the type; a type keeps its meaning
 * for ever. Types from {@link #FIRST_OF_SUBSCRIPTIONS} on belong to the subscriptions.
 */
final class PartitionNotes {
    static final byte CLOCK = 1;
    static final byte START = 2;
    static final byte EXCLUSIVE_EPOCH = 3;
    static final byte FIRST_OF_SUBSCRIPTIONS = 16;

    private PartitionNotes() {}

    /** What time it is: the state itself has no clock. */
    static void writeClock(ByteBuf out, long now) {
        out.writeByte(CLOCK);
        out.writeLong(now);
    }

    /**
     * The log starts at {@code startOffset}. What may be dropped ends at {@code position}, where the entry with
     * {@code baseOffset} begins; it lies in the note because an index after recovery may be coarser than before.
     */
    static void writeStart(ByteBuf out, long startOffset, long baseOffset, long position) {
        out.writeByte(START);
        Packed.writeUnsigned(out, startOffset);
        Packed.writeUnsigned(out, baseOffset);
        Packed.writeUnsigned(out, position);
    }

    /** An exclusive writer of this epoch took the partition over. */
    static void writeExclusiveEpoch(ByteBuf out, long epoch) {
        out.writeByte(EXCLUSIVE_EPOCH);
        Packed.writeUnsigned(out, epoch);
    }
}
