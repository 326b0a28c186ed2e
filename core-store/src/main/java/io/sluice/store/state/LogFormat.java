package io.sluice.store.state;

/**
 * Sizes and constants of the log's bytes.
 *
 * <pre>
 *   frame    = magic u16, version u8, fragments
 *   fragment = flags u8 (FIRST, LAST), length u32, bytes
 *   record   = crc32c u32 of the rest, type u8, version u8, body
 * </pre>
 */
final class LogFormat {
    static final int MAGIC = 0x51CE;
    static final int VERSION = 1;
    static final int FRAME_HEADER = 3;

    static final int FIRST = 1;
    static final int LAST = 2;
    static final int FRAGMENT_HEADER = 5;

    /** crc, type, version. */
    static final int RECORD_HEADER = 6;

    static final int CRC_BYTES = 4;

    private LogFormat() {}
}
