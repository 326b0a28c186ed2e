package io.sluice.conversion;

import java.nio.ByteBuffer;

/**
 * Looks at the sizes that blocks of Snappy claim, before a decompressor allocates them.
 *
 * <pre>
 *  one block:    size varint │ ...                                   (librdkafka, franz-go)
 *  xerial:       "\x82SNAPPY\0" │ version i32 │ compatible i32 │ { length i32 │ block }*   (Java, Go)
 * </pre>
 */
public final class SnappyBlocks {
    private static final long XERIAL = 0x82534e4150505900L;
    private static final int XERIAL_BEGIN = 0x82534e41;
    private static final int XERIAL_HEADER = 16;

    private SnappyBlocks() {}

    /** Bytes of the largest block when it is decompressed; {@link Long#MAX_VALUE} if the blocks are none. */
    public static long largest(ByteBuffer packed) {
        int at = packed.position();
        int end = packed.limit();
        if (end - at < XERIAL_HEADER || packed.getLong(at) != XERIAL) {
            return size(packed, at, end);
        }
        long largest = 0;
        for (at += XERIAL_HEADER; end - at >= Integer.BYTES; ) {
            int length = packed.getInt(at);
            if (length == XERIAL_BEGIN) {
                at += XERIAL_HEADER; // another stream begins
                continue;
            }
            at += Integer.BYTES;
            if (length < 0 || length > end - at) {
                return Long.MAX_VALUE;
            }
            largest = Math.max(largest, size(packed, at, at + length));
            at += length;
        }
        return largest;
    }

    private static long size(ByteBuffer packed, int from, int end) {
        int size = 0;
        for (int at = from, shift = 0; at < end && shift < 35; at++, shift += 7) {
            size |= (packed.get(at) & 0x7f) << shift;
            if (packed.get(at) >= 0) {
                return size < 0 ? Long.MAX_VALUE : size;
            }
        }
        return Long.MAX_VALUE;
    }
}
