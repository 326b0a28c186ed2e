package io.sluice.tiering.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.sluice.store.tier.TierRange;
import java.util.ArrayList;
import java.util.List;

/**
 * An object about to be stored: the pinned bytes of its ranges with checksums between them, and an index at its end that
 * makes it readable without the manifest. The pinned bytes are not copied.
 *
 * <pre>
 *   object  = range*, index, trailer                            all numbers big-endian
 *   range   = see {@link Blocks}
 *   index   = (segment u64, position u64, length u32, offset u64, crc u32)*
 *   trailer = container u32, object u64, block bytes u32, ranges u32, crc32c of all since index u32, version u32, magic u32
 * </pre>
 *
 * A range's crc is the CRC32C of its blocks' checksums.
 *
 * @param content owned by this object; release it with {@link #release}
 */
public record ObjectImage(ByteBuf content, List<TierRange> ranges) {
    public static final int MAGIC = 0x534C5543;
    public static final int VERSION = 1;
    public static final int INDEX_ENTRY_BYTES = 32;
    public static final int TRAILER_BYTES = 32;

    /** Bytes of a segment, pinned. {@code bytes} stays the owner's. */
    public record Part(long segment, long position, ByteBuf bytes) {}

    public static ObjectImage build(int container, long object, List<Part> parts, ByteBufAllocator allocator) {
        int blocks = 0;
        for (Part part : parts) {
            blocks += Blocks.count(part.bytes().readableBytes());
        }
        int extra = blocks * Blocks.CRC_BYTES + parts.size() * INDEX_ENTRY_BYTES + TRAILER_BYTES;
        // One small buffer holds every checksum and the index; the content is woven of slices of it and of the parts.
        ByteBuf written = allocator.directBuffer(extra, extra);
        CompositeByteBuf content = allocator.compositeDirectBuffer(Integer.MAX_VALUE);
        try {
            List<TierRange> ranges = new ArrayList<>(parts.size());
            BlockChecksum checksum = new BlockChecksum();
            for (Part part : parts) {
                ranges.add(weave(part, object, content, written, checksum));
            }
            int index = written.writerIndex();
            writeIndex(container, object, ranges, written, checksum);
            content.addComponent(true, written.retainedSlice(index, written.writerIndex() - index));
            return new ObjectImage(content, List.copyOf(ranges));
        } catch (RuntimeException | OutOfMemoryError e) {
            content.release();
            throw e;
        } finally {
            written.release();
        }
    }

    private static TierRange weave(
            Part part, long object, CompositeByteBuf content, ByteBuf written, BlockChecksum checksum) {
        ByteBuf bytes = part.bytes();
        int length = bytes.readableBytes();
        long offset = content.writerIndex();
        int firstCrc = written.writerIndex();
        for (int done = 0; done < length; done += Blocks.BYTES) {
            int n = Math.min(Blocks.BYTES, length - done);
            int from = bytes.readerIndex() + done;
            int at = written.writerIndex();
            written.writeInt(checksum.block(part.segment(), part.position() + done, bytes, from, n));
            content.addComponent(true, bytes.retainedSlice(from, n));
            content.addComponent(true, written.retainedSlice(at, Blocks.CRC_BYTES));
        }
        int crc = checksum.bytes(written, firstCrc, written.writerIndex() - firstCrc);
        return new TierRange(part.segment(), part.position(), length, object, offset, crc);
    }

    private static void writeIndex(
            int container, long object, List<TierRange> ranges, ByteBuf out, BlockChecksum checksum) {
        int start = out.writerIndex();
        for (TierRange range : ranges) {
            out.writeLong(range.segment()).writeLong(range.position()).writeInt(range.length());
            out.writeLong(range.offset()).writeInt(range.crc());
        }
        out.writeInt(container).writeLong(object).writeInt(Blocks.BYTES).writeInt(ranges.size());
        out.writeInt(checksum.bytes(out, start, out.writerIndex() - start));
        out.writeInt(VERSION).writeInt(MAGIC);
    }

    public void release() {
        content.release();
    }
}
