package io.sluice.store.cache;

import java.util.Arrays;

/**
 * A list of stretches of contiguous cache memory that make up one read, in reading order: filled by
 * {@link StreamingCache#gather}, turned into a buffer by {@link StreamingCache#pin}. Reused by its owner from read to read.
 *
 * <p>Stretches that touch in memory are merged as they are added, across entries too.
 */
public final class BlockRuns {
    private long[] offsets = new long[16];
    private int[] lengths = new int[16];
    private int count;
    private int bytes;

    public void clear() {
        count = 0;
        bytes = 0;
    }

    /** Stretches so far: each becomes one component of the buffer, and one element of a gathering write. */
    public int count() {
        return count;
    }

    /** Bytes so far. */
    public int bytes() {
        return bytes;
    }

    long offset(int run) {
        return offsets[run];
    }

    int length(int run) {
        return lengths[run];
    }

    void add(long offset, int length) {
        bytes += length;
        if (count > 0 && offsets[count - 1] + lengths[count - 1] == offset) {
            lengths[count - 1] += length;
            return;
        }
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
        }
        offsets[count] = offset;
        lengths[count++] = length;
    }
}
