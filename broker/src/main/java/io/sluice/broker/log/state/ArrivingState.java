package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;

/**
 * State of a partition that comes from another container, once complete.
 *
 * <pre>
 *   version u8 (1), fromContainer packed, aboveTerm packed, state: a {@link PartitionSnapshot}
 * </pre>
 *
 * @param fromContainer where the state was written
 * @param aboveTerm difference between leader epochs here and the container's term
 * @param state up to the end of the buffer
 */
public record ArrivingState(int fromContainer, int aboveTerm, ByteBuf state) {
    private static final byte VERSION = 1;

    public static ArrivingState read(ByteBuf in) {
        byte version = in.readByte();
        if (version != VERSION) {
            throw new IllegalStateException("a partition arrives in version " + version + ": a newer server wrote it");
        }
        return new ArrivingState(Packed.readCount(in), Packed.readCount(in), in);
    }

    /** All of it; takes over {@link #state}. */
    public ByteBuf write() {
        ByteBuf head = Unpooled.buffer();
        head.writeByte(VERSION);
        Packed.writeUnsigned(head, fromContainer);
        Packed.writeUnsigned(head, aboveTerm);
        return Unpooled.wrappedBuffer(head, state);
    }
}
