package io.sluice.tiering.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.store.tier.TierRange;
import java.util.ArrayList;
import java.util.List;

/** Reads and checks a stored object with nothing but the object: its index, every block, every checksum. */
public final class StoredIndex {
    private StoredIndex() {}

    /** Returns the ranges, or throws {@link AssertionError} with what is wrong. */
    public static List<TierRange> verify(int container, long object, byte[] stored) {
        ByteBuf bytes = Unpooled.wrappedBuffer(stored);
        int trailer = stored.length - ObjectImage.TRAILER_BYTES;
        must(trailer >= 0 && bytes.getInt(stored.length - 4) == ObjectImage.MAGIC, "magic");
        must(bytes.getInt(stored.length - 8) == ObjectImage.VERSION, "version");
        must(bytes.getInt(trailer) == container && bytes.getLong(trailer + 4) == object, "identity");
        must(bytes.getInt(trailer + 12) == Blocks.BYTES, "block size");
        int count = bytes.getInt(trailer + 16);
        int index = trailer - count * ObjectImage.INDEX_ENTRY_BYTES;
        must(new BlockChecksum().bytes(bytes, index, trailer + 20 - index) == bytes.getInt(trailer + 20), "index crc");
        List<TierRange> ranges = new ArrayList<>();
        long end = 0;
        bytes.readerIndex(index);
        for (int i = 0; i < count; i++) {
            long segment = bytes.readLong();
            long position = bytes.readLong();
            int length = bytes.readInt();
            TierRange range = new TierRange(segment, position, length, object, bytes.readLong(), bytes.readInt());
            must(range.offset() == end, "ranges follow each other");
            end += Blocks.storedLength(length);
            verify(range, bytes);
            ranges.add(range);
        }
        must(end == index, "nothing between ranges and index");
        return ranges;
    }

    private static void verify(TierRange range, ByteBuf bytes) {
        Span all = Span.covering(range, range.position(), range.end());
        ByteBuf crcs = Unpooled.buffer();
        try {
            ByteBuf stored = bytes.slice((int) all.storedOffset(), all.storedLength());
            all.open(stored, UnpooledByteBufAllocator.DEFAULT).release();
            for (int block = 1; block <= all.blocks(); block++) {
                int end = Math.min(block * (Blocks.BYTES + Blocks.CRC_BYTES), all.storedLength());
                crcs.writeInt(stored.getInt(end - Blocks.CRC_BYTES));
            }
        } catch (Span.DamagedBlockException e) {
            throw new AssertionError(e.getMessage(), e);
        }
        must(new BlockChecksum().bytes(crcs, 0, crcs.readableBytes()) == range.crc(), "range crc");
        crcs.release();
    }

    private static void must(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("Stored object: " + what);
        }
    }
}
