package io.sluice.store.state;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.tier.TierRange;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Operations as bytes: a head (type, version, fixed fields) and for some a payload, which is copied once, straight into
 * the frame. All integers are big-endian. A reader takes every version it knows and refuses newer ones by name.
 */
public final class OperationCodec {
    private static final byte VERSION = 1;

    private static final byte CREATE = 1;
    private static final byte APPEND = 2;
    private static final byte NOTE = 3;
    private static final byte SEAL = 4;
    private static final byte TRUNCATE = 5;
    private static final byte DELETE = 6;
    private static final byte TIER_INTENT = 7;
    private static final byte TIER_COMMIT = 8;
    private static final byte TIER_COLLECTED = 9;
    private static final byte CHECKPOINT = 10;
    private static final byte TIER_MERGE = 11;
    private static final byte TIER_APPEND = 12;

    private static final int RANGE_BYTES = 8 + 8 + 4 + 8 + 8 + 4;

    private OperationCodec() {}

    /** Writes everything but the payload (and the CRC, which covers both) into {@code out}. */
    static void encodeHead(LogOperation operation, ByteBuf out) {
        switch (operation) {
            case LogOperation.Append append ->
                head(out, APPEND).writeLong(append.segment()).writeLong(append.position());
            case LogOperation.Note note -> head(out, NOTE).writeLong(note.segment());
            case LogOperation.CreateSegment create ->
                head(out, CREATE).writeLong(create.segment()).writeByte(create.kind());
            case LogOperation.Seal seal -> head(out, SEAL).writeLong(seal.segment());
            case LogOperation.Truncate truncate ->
                head(out, TRUNCATE).writeLong(truncate.segment()).writeLong(truncate.position());
            case LogOperation.DeleteSegment delete -> head(out, DELETE).writeLong(delete.segment());
            case LogOperation.TierIntent intent -> head(out, TIER_INTENT).writeLong(intent.object());
            case LogOperation.TierCommit commit -> {
                head(out, TIER_COMMIT).writeLong(commit.object());
                writeRanges(out, commit.ranges());
            }
            case LogOperation.TierMerge merge -> {
                head(out, TIER_MERGE).writeLong(merge.object());
                writeRanges(out, merge.ranges());
            }
            case LogOperation.TierAppend append -> {
                head(out, TIER_APPEND).writeLong(append.object());
                writeRange(out, append.range());
            }
            case LogOperation.TierCollected collected -> {
                head(out, TIER_COLLECTED).writeInt(collected.objects().size());
                collected.objects().forEach(out::writeLong);
            }
            case LogOperation.Checkpoint _ -> head(out, CHECKPOINT);
        }
    }

    /** The rest of the body: bytes of the caller's, borrowed. */
    static ByteBuf payload(LogOperation operation) {
        return switch (operation) {
            case LogOperation.Append append -> append.data();
            case LogOperation.Note note -> note.note();
            case LogOperation.CreateSegment create -> create.attributes();
            case LogOperation.Checkpoint checkpoint -> checkpoint.snapshot();
            default -> Unpooled.EMPTY_BUFFER;
        };
    }

    private static ByteBuf head(ByteBuf out, byte type) {
        return out.writeByte(type).writeByte(VERSION);
    }

    /** Reads a record from its type on; its CRC was checked. Buffers in the result are slices of {@code record}. */
    public static LogOperation decode(ByteBuf record) throws WalException.Corrupt {
        try {
            return body(record);
        } catch (IndexOutOfBoundsException short_) {
            throw corrupt("a log record ends before its fields do", short_);
        }
    }

    private static LogOperation body(ByteBuf in) throws WalException.Corrupt {
        byte type = in.readByte();
        byte version = in.readByte();
        if (version != VERSION) {
            throw corrupt(
                    "log record type " + type + " has version " + version + ", this server reads version " + VERSION
                            + ": a newer server wrote it",
                    new IOException("version"));
        }
        LogOperation operation = switch (type) {
            case CREATE -> new LogOperation.CreateSegment(in.readLong(), in.readByte(), rest(in));
            case APPEND -> new LogOperation.Append(in.readLong(), in.readLong(), rest(in));
            case NOTE -> new LogOperation.Note(in.readLong(), rest(in));
            case SEAL -> new LogOperation.Seal(in.readLong());
            case TRUNCATE -> new LogOperation.Truncate(in.readLong(), in.readLong());
            case DELETE -> new LogOperation.DeleteSegment(in.readLong());
            case TIER_INTENT -> new LogOperation.TierIntent(in.readLong());
            case TIER_COMMIT -> new LogOperation.TierCommit(in.readLong(), readRanges(in));
            case TIER_COLLECTED -> new LogOperation.TierCollected(readLongs(in));
            case TIER_MERGE -> new LogOperation.TierMerge(in.readLong(), readRanges(in));
            case TIER_APPEND -> new LogOperation.TierAppend(in.readLong(), readRange(in));
            case CHECKPOINT -> new LogOperation.Checkpoint(rest(in));
            default -> throw corrupt("unknown log record type " + type, new IOException("type"));
        };
        if (in.isReadable()) {
            throw corrupt(
                    "log record type " + type + " has " + in.readableBytes() + " bytes too many",
                    new IOException("length"));
        }
        return operation;
    }

    private static ByteBuf rest(ByteBuf in) {
        return in.readSlice(in.readableBytes());
    }

    private static List<Long> readLongs(ByteBuf in) throws WalException.Corrupt {
        int count = count(in, Long.BYTES);
        List<Long> longs = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            longs.add(in.readLong());
        }
        return longs;
    }

    static void writeRanges(ByteBuf out, List<TierRange> ranges) {
        out.writeInt(ranges.size());
        ranges.forEach(range -> writeRange(out, range));
    }

    private static void writeRange(ByteBuf out, TierRange range) {
        out.writeLong(range.segment()).writeLong(range.position()).writeInt(range.length());
        out.writeLong(range.object()).writeLong(range.offset()).writeInt(range.crc());
    }

    static List<TierRange> readRanges(ByteBuf in) throws WalException.Corrupt {
        int count = count(in, RANGE_BYTES);
        List<TierRange> ranges = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ranges.add(readRange(in));
        }
        return ranges;
    }

    private static TierRange readRange(ByteBuf in) {
        return new TierRange(in.readLong(), in.readLong(), in.readInt(), in.readLong(), in.readLong(), in.readInt());
    }

    /** A count that the bytes left can hold, so that a spoilt one allocates nothing. */
    static int count(ByteBuf in, int bytesEach) throws WalException.Corrupt {
        int count = in.readInt();
        if (count < 0 || (long) count * bytesEach > in.readableBytes()) {
            throw corrupt(
                    "a log record counts " + count + " items in " + in.readableBytes() + " bytes",
                    new IOException("count"));
        }
        return count;
    }

    static WalException.Corrupt corrupt(String message, Exception cause) {
        return new WalException.Corrupt(message, cause);
    }
}
