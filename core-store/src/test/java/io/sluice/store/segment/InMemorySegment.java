package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.store.segment.InMemoryLog.Bytes;
import java.util.Arrays;

/** One segment of an {@link InMemoryContainer}: its bytes, and from where on they are "cached". */
final class InMemorySegment {
    final long id;
    final byte kind;
    final Bytes attributes;
    private byte[] bytes = new byte[256];
    long start;
    long length;
    long durableLength;
    /** Positions below this answer only to {@link SegmentContainer#read}, and later. */
    long cachedFrom;

    boolean sealed;

    InMemorySegment(long id, byte kind, Bytes attributes) {
        this.id = id;
        this.kind = kind;
        this.attributes = attributes;
    }

    void append(byte[] data) {
        if (length + data.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.max(bytes.length * 2L, length + data.length));
        }
        System.arraycopy(data, 0, bytes, (int) length, data.length);
        length += data.length;
    }

    SegmentInfo info() {
        return new SegmentInfo(id, kind, start, durableLength, length, cachedFrom, sealed);
    }

    /** A composite of blocks, so that whatever reads it meets numbers that lie across a border. */
    ByteBuf copy(long position, int size, int block) {
        CompositeByteBuf all = UnpooledByteBufAllocator.DEFAULT.compositeHeapBuffer(Integer.MAX_VALUE);
        for (int at = 0; at < size; at += block) {
            int n = Math.min(block, size - at);
            ByteBuf part = UnpooledByteBufAllocator.DEFAULT.heapBuffer(n);
            all.addComponent(true, part.writeBytes(bytes, (int) position + at, n));
        }
        return all;
    }
}
