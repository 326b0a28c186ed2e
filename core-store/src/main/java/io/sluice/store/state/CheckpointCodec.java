package io.sluice.store.state;

import io.netty.buffer.ByteBuf;
import io.sluice.store.tier.TierRange;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * A container's whole state as bytes, the same bytes for the same state.
 *
 * <pre>
 *   version u8, term u64, sequence u64
 *   objects: count u32, each number u64, flags u8 (1 committed, from 2 on the generation), unreferencedAt u64
 *   segments: count u32, each id u64, kind u8, flags u8 (1 sealed), start, length, tieredLength u64,
 *             attributes (u32 + bytes), manifest (u32 + ranges), rider's snapshot (u32 + bytes)
 * </pre>
 *
 * Version 1 knew no generations.
 */
public final class CheckpointCodec {
    private static final byte VERSION = 2;
    private static final byte OLDEST_VERSION = 1;
    private static final int LEAST_OBJECT_BYTES = 17;
    private static final int LEAST_SEGMENT_BYTES = 46;

    private CheckpointCodec() {}

    /** Gives what rides a segment as opaque bytes, and takes it back. */
    public interface RiderWriter {
        void snapshot(long segment, ByteBuf out);
    }

    /** Takes back a segment and what rode it; {@code snapshot} is borrowed. */
    public interface RiderReader {
        void restored(SegmentState segment, ByteBuf snapshot);
    }

    /** Appends the checkpoint to {@code out}, which must be able to grow. */
    public static void encode(ContainerState state, RiderWriter riders, ByteBuf out) {
        out.writeByte(VERSION).writeLong(state.term).writeLong(state.sequence);
        out.writeInt(state.objects.all().size());
        for (Map.Entry<Long, TierObjects.TierObject> entry : state.objects.all().entrySet()) {
            TierObjects.TierObject object = entry.getValue();
            out.writeLong(entry.getKey())
                    .writeByte((object.committed ? 1 : 0) | object.generation << 1)
                    .writeLong(object.unreferencedAt);
        }
        long[] segments = state.segments();
        out.writeInt(segments.length);
        for (long id : segments) {
            SegmentState segment = state.segment(id);
            if (segment != null) {
                encode(segment, out);
                int lengthAt = out.writerIndex();
                out.writeInt(0);
                riders.snapshot(id, out);
                out.setInt(lengthAt, out.writerIndex() - lengthAt - Integer.BYTES);
            }
        }
    }

    private static void encode(SegmentState segment, ByteBuf out) {
        segment.check();
        out.writeLong(segment.segment()).writeByte(segment.kind()).writeByte(segment.sealed ? 1 : 0);
        out.writeLong(segment.start).writeLong(segment.length).writeLong(segment.tieredLength);
        out.writeInt(segment.attributes().length).writeBytes(segment.attributes());
        OperationCodec.writeRanges(out, segment.manifest);
    }

    /** The sequence at which a checkpoint was taken; {@code snapshot}'s indices stay. */
    public static long sequence(ByteBuf snapshot) throws WalException.Corrupt {
        return headField(snapshot, 1 + Long.BYTES);
    }

    /** The term in which a checkpoint was taken; {@code snapshot}'s indices stay. */
    public static long term(ByteBuf snapshot) throws WalException.Corrupt {
        return headField(snapshot, 1);
    }

    private static long headField(ByteBuf snapshot, int offset) throws WalException.Corrupt {
        if (snapshot.readableBytes() < 1 + 2 * Long.BYTES) {
            throw OperationCodec.corrupt(
                    "a checkpoint of " + snapshot.readableBytes() + " bytes", new IOException("length"));
        }
        return snapshot.getLong(snapshot.readerIndex() + offset);
    }

    /** The state in {@code snapshot}, all of which is read. */
    public static ContainerState decode(ByteBuf snapshot, RiderReader riders) throws WalException.Corrupt {
        try {
            return read(snapshot, riders);
        } catch (IndexOutOfBoundsException | BrokenInvariant bad) {
            throw OperationCodec.corrupt("a checkpoint cannot be restored: " + bad.getMessage(), bad);
        }
    }

    private static ContainerState read(ByteBuf in, RiderReader riders) throws WalException.Corrupt {
        byte version = in.readByte();
        if (version < OLDEST_VERSION || version > VERSION) {
            throw OperationCodec.corrupt(
                    "a checkpoint of version " + version + ", this server reads " + VERSION,
                    new IOException("version"));
        }
        ContainerState state = new ContainerState();
        state.term = in.readLong();
        state.sequence = in.readLong();
        readObjects(in, state.objects.all());
        int segments = OperationCodec.count(in, LEAST_SEGMENT_BYTES);
        for (int i = 0; i < segments; i++) {
            SegmentState segment = readSegment(in);
            state.add(segment);
            reference(state.objects, segment);
            riders.restored(segment, bytes(in));
        }
        if (in.isReadable()) {
            throw OperationCodec.corrupt("a checkpoint with bytes after its end", new IOException("length"));
        }
        return state;
    }

    private static void readObjects(ByteBuf in, Map<Long, TierObjects.TierObject> into) throws WalException.Corrupt {
        int count = OperationCodec.count(in, LEAST_OBJECT_BYTES);
        for (int i = 0; i < count; i++) {
            TierObjects.TierObject object = new TierObjects.TierObject();
            into.put(in.readLong(), object);
            int flags = in.readUnsignedByte();
            object.committed = (flags & 1) == 1;
            object.generation = flags >>> 1;
            object.unreferencedAt = in.readLong();
        }
    }

    private static SegmentState readSegment(ByteBuf in) throws WalException.Corrupt {
        long id = in.readLong();
        byte kind = in.readByte();
        boolean sealed = in.readByte() == 1;
        long start = in.readLong();
        long length = in.readLong();
        long tieredLength = in.readLong();
        ByteBuf attributes = bytes(in);
        byte[] kept = new byte[attributes.readableBytes()];
        attributes.readBytes(kept);
        SegmentState segment = new SegmentState(id, kind, kept);
        segment.sealed = sealed;
        segment.start = start;
        segment.length = length;
        segment.tieredLength = tieredLength;
        List<TierRange> ranges = OperationCodec.readRanges(in);
        segment.manifest.addAll(ranges);
        segment.check();
        return segment;
    }

    private static void reference(TierObjects objects, SegmentState segment) {
        for (TierRange range : segment.manifest) {
            TierObjects.TierObject object = objects.all().get(range.object());
            BrokenInvariant.unless(object != null && object.committed, "range of an unknown object", segment.segment());
            if (object != null) {
                object.references++;
            }
        }
    }

    private static ByteBuf bytes(ByteBuf in) throws WalException.Corrupt {
        return in.readSlice(OperationCodec.count(in, 1));
    }
}
