package io.sluice.tiering.format;

/**
 * How a range of a segment lies in an object: blocks of 64 KiB, each followed by its checksum, so that any part can be read
 * and checked with one request. Without I/O or state.
 *
 * <pre>
 *   range at offset:  ┌───────────┬─────┬───────────┬─────┬──────┬─────┐
 *                     │ 64 KiB    │ crc │ 64 KiB    │ crc │ rest │ crc │
 *                     └───────────┴─────┴───────────┴─────┴──────┴─────┘
 *   crc = CRC32C(segment u64, position u64, bytes)     so a block in the wrong place does not pass either
 * </pre>
 */
public final class Blocks {
    /** Bytes of segment data per block. Part of the format: objects written with it exist. */
    public static final int BYTES = 64 << 10;

    public static final int CRC_BYTES = 4;

    private Blocks() {}

    /** Blocks that {@code length} bytes take. */
    public static int count(int length) {
        return (int) (((long) length + BYTES - 1) / BYTES);
    }

    /** Bytes in the object of a range of {@code length} bytes. */
    public static long storedLength(int length) {
        return length + (long) count(length) * CRC_BYTES;
    }
}
