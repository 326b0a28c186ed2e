package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import java.util.List;

/**
 * A partition's state in its container's checkpoint.
 *
 * <pre>
 *   version u8 (3), n packed, then n parts: tag u8, version u8, length u32, length bytes
 * </pre>
 *
 * A part that is empty is left out. A segment whose partition is on its way has one part of another kind instead: {@link
 * #ARRIVING} with what has come so far, or {@link #LEFT}. Versions 1 and 2 had fixed fields, see {@link FixedSnapshot}.
 */
public final class PartitionSnapshot {
    private static final byte VERSION = 3;
    static final byte ARRIVING = 32;
    static final byte LEFT = 33;
    private static final int HEAD = 3;

    private PartitionSnapshot() {}

    public static void write(List<StatePart> parts, ByteBuf out) {
        out.writeByte(VERSION);
        Packed.writeUnsigned(out, parts.stream().filter(part -> !part.isEmpty()).count());
        for (StatePart part : parts) {
            if (!part.isEmpty()) {
                write(part, out);
            }
        }
    }

    private static void write(StatePart part, ByteBuf out) {
        out.writeByte(part.tag()).writeByte(part.version());
        int lengthAt = out.writerIndex();
        out.writeInt(0);
        part.snapshot(out);
        out.setInt(lengthAt, out.writerIndex() - lengthAt - Integer.BYTES);
    }

    /** Instead of a partition: what has arrived of its state. */
    public static void writeArriving(ByteBuf soFar, ByteBuf out) {
        writeInstead(ARRIVING, soFar, out);
    }

    /** Instead of a partition: it goes on in another container. */
    public static void writeLeft(ByteBuf out) {
        writeInstead(LEFT, Unpooled.EMPTY_BUFFER, out);
    }

    private static void writeInstead(byte tag, ByteBuf bytes, ByteBuf out) {
        out.writeByte(VERSION);
        Packed.writeUnsigned(out, 1);
        out.writeByte(tag).writeByte(StatePart.FIRST_VERSION);
        out.writeInt(bytes.readableBytes());
        out.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
    }

    /** Whether it is one of {@link #writeArriving} or {@link #writeLeft}. */
    public static boolean isOnItsWay(ByteBuf snapshot) {
        return stands(ARRIVING, snapshot) || stands(LEFT, snapshot);
    }

    public static boolean hasLeft(ByteBuf snapshot) {
        return stands(LEFT, snapshot);
    }

    /** Bytes that {@link #writeArriving} was given, a view. */
    public static ByteBuf arriving(ByteBuf snapshot) {
        ByteBuf in = snapshot.slice().skipBytes(HEAD);
        if (in.readByte() != StatePart.FIRST_VERSION) {
            throw newer("its snapshot has another version of a state that arrives");
        }
        return in.readSlice(in.readInt());
    }

    private static boolean stands(byte tag, ByteBuf snapshot) {
        int at = snapshot.readerIndex();
        return snapshot.readableBytes() > HEAD
                && snapshot.getByte(at) == VERSION
                && snapshot.getByte(at + 1) == 1
                && snapshot.getByte(at + 2) == tag;
    }

    /** @throws IllegalStateException a newer server wrote it, or it is damaged; says which part */
    public static void read(ByteBuf in, PartitionState state, StatePart subscriptions) {
        byte version = in.readByte();
        if (version <= FixedSnapshot.LAST) {
            FixedSnapshot.read(version, in, state, subscriptions);
        } else if (version > VERSION) {
            throw newer("its snapshot has version " + version);
        } else {
            for (int n = Packed.readCount(in); n > 0; n--) {
                readPart(in, state, subscriptions);
            }
        }
        if (in.isReadable()) {
            throw new IllegalStateException("a partition's snapshot has " + in.readableBytes() + " bytes too many");
        }
    }

    private static void readPart(ByteBuf in, PartitionState state, StatePart subscriptions) {
        byte tag = in.readByte();
        byte version = in.readByte();
        ByteBuf bytes = in.readSlice(in.readInt());
        StatePart part = tag == subscriptions.tag() ? subscriptions : state.part(tag);
        if (part == null) {
            throw newer("its snapshot has a part " + tag + " that is not known here");
        }
        if (version > part.newestVersion()) {
            throw newer("part " + tag + " of its snapshot has version " + version);
        }
        part.restore(version, bytes);
        if (bytes.isReadable()) {
            throw new IllegalStateException(
                    "part " + tag + " of a partition's snapshot has " + bytes.readableBytes() + " bytes too many");
        }
    }

    static IllegalStateException newer(String what) {
        return new IllegalStateException("a newer server wrote this partition: " + what);
    }
}
