package io.sluice.broker.topic;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Parts that follow the fields of a topic's record: {@code tag u8, length packed, bytes}. Servers from before there were parts end with the
 * fields, and a reader passes over a part that it does not know: none says what must be known to understand the record.
 */
public final class RecordParts {
    private static final int OWNER = 1;
    private static final int UUID_BYTES = 16;

    private RecordParts() {}

    /** {@code node packed, incarnation 16 bytes}; nothing for null. */
    public static void writeOwner(ByteBuf out, @Nullable ChangeOwner owner) {
        if (owner == null) {
            return;
        }
        out.writeByte(OWNER);
        ByteBuf node = out.alloc().buffer();
        Packed.writeUnsigned(node, owner.node());
        Packed.writeUnsigned(out, node.readableBytes() + UUID_BYTES);
        out.writeBytes(node);
        node.release();
        out.writeLong(owner.incarnation().getMostSignificantBits());
        out.writeLong(owner.incarnation().getLeastSignificantBits());
    }

    /** Reads to the end; null if no owner is named. */
    public static @Nullable ChangeOwner readOwner(ByteBuf in) {
        ChangeOwner owner = null;
        while (in.isReadable()) {
            int tag = in.readUnsignedByte();
            ByteBuf part = in.readSlice(Packed.readCount(in));
            if (tag == OWNER) {
                owner = new ChangeOwner(Packed.readCount(part), new UUID(part.readLong(), part.readLong()));
            }
        }
        return owner;
    }
}
