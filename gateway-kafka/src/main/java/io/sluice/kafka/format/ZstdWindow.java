package io.sluice.kafka.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The window that a zstd frame asks for, by its header (RFC 8878, 3.1.1.1). */
final class ZstdWindow {
    private static final int MAGIC = 0xFD2FB528;
    private static final int SINGLE_SEGMENT = 0x20;
    private static final int SMALLEST_LOG = 10;
    private static final int[] DICTIONARY_ID_BYTES = {0, 1, 2, 4};
    private static final int TWO_BYTES_BEGIN_AT = 256;

    private ZstdWindow() {}

    /** Bytes; 0 if no whole header is next, which the decompressor finds out. */
    static long of(ByteBuffer frames) {
        ByteBuffer header = frames.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (header.remaining() < Integer.BYTES + 2 || header.getInt() != MAGIC) {
            return 0;
        }
        int descriptor = header.get();
        if ((descriptor & SINGLE_SEGMENT) == 0) {
            int window = header.get() & 0xff;
            long base = 1L << SMALLEST_LOG + (window >>> 3);
            return base + base / 8 * (window & 7);
        }
        return contentBytes(header, descriptor >>> 6 & 3, DICTIONARY_ID_BYTES[descriptor & 3]);
    }

    private static long contentBytes(ByteBuffer header, int sizeOfSize, int skipped) {
        if (header.remaining() < skipped + (1 << sizeOfSize)) {
            return 0;
        }
        header.position(header.position() + skipped);
        return switch (sizeOfSize) {
            case 0 -> header.get() & 0xff;
            case 1 -> (header.getShort() & 0xffff) + TWO_BYTES_BEGIN_AT;
            case 2 -> Integer.toUnsignedLong(header.getInt());
            default -> {
                long bytes = header.getLong();
                yield bytes < 0 ? Long.MAX_VALUE : bytes;
            }
        };
    }
}
