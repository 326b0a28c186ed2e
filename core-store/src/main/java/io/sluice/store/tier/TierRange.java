package io.sluice.store.tier;

/**
 * Bytes of a segment that lie in an object.
 *
 * @param segment whose bytes
 * @param position first byte, in the segment
 * @param length bytes, {@code > 0}
 * @param object number of the object, unique within the container for ever; the object's name derives from it
 * @param offset where the bytes begin in the object
 * @param crc checksum of the bytes, as the tier defines it; the container only keeps it
 */
public record TierRange(long segment, long position, int length, long object, long offset, int crc) {
    public long end() {
        return position + length;
    }
}
