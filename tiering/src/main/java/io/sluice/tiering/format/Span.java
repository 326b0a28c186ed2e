package io.sluice.tiering.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.sluice.store.tier.TierRange;
import java.util.zip.CRC32C;

/**
 * Whole blocks of a range: what one request to the object store reads and checks.
 *
 * @param firstBlock first block, counted within the range
 * @param blocks how many, {@code > 0}
 */
public record Span(TierRange range, int firstBlock, int blocks) {
    /** The blocks that hold {@code [from, to)}, positions within the range. */
    public static Span covering(TierRange range, long from, long to) {
        if (from < range.position() || to > range.end() || from >= to) {
            throw new IllegalArgumentException("[" + from + ", " + to + ") is not in " + range);
        }
        int first = (int) ((from - range.position()) / Blocks.BYTES);
        int last = (int) ((to - 1 - range.position()) / Blocks.BYTES);
        return new Span(range, first, last - first + 1);
    }

    /** Position, in the segment, of the first byte. */
    public long from() {
        return range.position() + (long) firstBlock * Blocks.BYTES;
    }

    /** Position, in the segment, after the last byte. */
    public long to() {
        return Math.min(range.end(), range.position() + (long) (firstBlock + blocks) * Blocks.BYTES);
    }

    public int length() {
        return (int) (to() - from());
    }

    public long storedOffset() {
        return range.offset() + (long) firstBlock * (Blocks.BYTES + Blocks.CRC_BYTES);
    }

    public long storedEnd() {
        return storedOffset() + storedLength();
    }

    public int storedLength() {
        return length() + blocks * Blocks.CRC_BYTES;
    }

    /**
     * Checks what was read: each block against its own checksum and, if this is all of the range, against the manifest's.
     *
     * @param stored {@link #storedLength} bytes from {@link #storedOffset}; borrowed
     * @return the bytes between the checksums, slices of {@code stored} which they retain; owned by the caller
     */
    public ByteBuf open(ByteBuf stored, ByteBufAllocator allocator) throws DamagedBlockException {
        if (stored.readableBytes() != storedLength()) {
            throw new DamagedBlockException(this, "has " + stored.readableBytes() + " of " + storedLength() + " bytes");
        }
        check(stored);
        int length = length();
        if (blocks == 1) {
            return stored.retainedSlice(stored.readerIndex(), length);
        }
        CompositeByteBuf data = allocator.compositeDirectBuffer(blocks);
        int index = stored.readerIndex();
        for (int left = length; left > 0; left -= Blocks.BYTES) {
            int n = Math.min(Blocks.BYTES, left);
            data.addComponent(true, stored.retainedSlice(index, n));
            index += n + Blocks.CRC_BYTES;
        }
        return data;
    }

    private void check(ByteBuf stored) throws DamagedBlockException {
        BlockChecksum checksum = new BlockChecksum();
        CRC32C ofChecksums = new CRC32C();
        int index = stored.readerIndex();
        long to = to();
        for (long position = from(); position < to; position += Blocks.BYTES) {
            int n = (int) Math.min(Blocks.BYTES, to - position);
            int expected = stored.getInt(index + n);
            if (checksum.block(range.segment(), position, stored, index, n) != expected) {
                throw new DamagedBlockException(this, "fails its checksum at position " + position);
            }
            ofChecksums.update(stored.nioBuffer(index + n, Blocks.CRC_BYTES));
            index += n + Blocks.CRC_BYTES;
        }
        if (blocks == Blocks.count(range.length()) && (int) ofChecksums.getValue() != range.crc()) {
            throw new DamagedBlockException(this, "is not what was committed");
        }
    }

    /** A block is not what was written. */
    public static final class DamagedBlockException extends Exception {
        private final String message;
        private final long segment;

        DamagedBlockException(Span span, String what) {
            this.segment = span.range.segment();
            this.message = "Object " + Long.toHexString(span.range.object()) + ", range of segment "
                    + span.range.segment() + " at " + span.range.position() + ", " + what;
        }

        @Override
        public String getMessage() {
            return message;
        }

        /** Whose bytes they are. */
        public long segment() {
            return segment;
        }
    }
}
