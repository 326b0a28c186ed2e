package io.sluice.kafka.format;

import java.nio.ByteBuffer;

/**
 * Looks at the sizes that blocks of Snappy claim, before a decompressor allocates them.
 *
 * <pre>
 *  one block:    size varint │ ...                                   (librdkafka, franz-go)
 *  xerial:       "\x82SNAPPY\0" │ version i32 │ compatible i32 │ { length i32 │ block }*   (Java, Go)
 * </pre>
 */
final class SnappyBlocks {
    private static final long XERIAL = 0x82534e4150505900L;
    private static final int XERIAL_BEGIN = 0x82534e41;
    private static final int XERIAL_HEADER = 16;

    private SnappyBlocks() {}

    /** Bytes of the largest block when it is decompressed. */
    static int largest(ByteBuffer packed) throws RecordWalk.Unreadable {
        int at = packed.position();
        int end = packed.limit();
        if (end - at < XERIAL_HEADER || packed.getLong(at) != XERIAL) {
            return size(packed, at, end);
        }
        int largest = 0;
        for (at += XERIAL_HEADER; end - at >= Integer.BYTES; ) {
            int length = packed.getInt(at);
            if (length == XERIAL_BEGIN) {
                at += XERIAL_HEADER; // another stream begins
                continue;
            }
            at += Integer.BYTES;
            if (length < 0 || length > end - at) {
                throw new RecordWalk.Unreadable(
                        "a Snappy block of " + length + " bytes, of which " + (end - at) + " are there");
            }
            largest = Math.max(largest, size(packed, at, at + length));
            at += length;
        }
        return largest;
    }

    private static int size(ByteBuffer packed, int from, int end) throws RecordWalk.Unreadable {
        int size = 0;
        for (int at = from, shift = 0; at < end && shift < 35; at++, shift += 7) {
            size |= (packed.get(at) & 0x7f) << shift;
            if (packed.get(at) >= 0) {
                if (size < 0) {
                    break;
                }
                return size;
            }
        }
        throw new RecordWalk.Unreadable("a Snappy block without a size");
    }
}
