package io.sluice.store.cache;

import java.util.Arrays;

/**
 * Which blocks are free, and which to take next. Pure; 73 bytes per buffer of 2 MiB.
 *
 * <p>Blocks are numbered through all buffers, so a block's number is its address. A buffer's first block holds its table and
 * is never free. Sixteen blocks form a zone. A growing entry takes the block after its last one; a new entry, or one whose
 * neighbour is taken, starts in the lowest zone that is wholly free, and only when there is none does it share one. So entries that
 * grow side by side get runs of at least 64 KiB while there is space, and buffers are opened one after the other.
 */
final class FreeBlocks {
    static final int BLOCKS_PER_BUFFER = 512;
    private static final int ZONE_BITS = 4;
    private static final long ZONE_MASK = 0xFFFF;
    private static final long ZONE_WITH_TABLE = 0xFFFE;

    private final long[] words;
    private final BitTree emptyZones;
    private final BitTree zonesWithRoom;
    private final int blocks;
    private int count;
    private int openedBuffers;

    FreeBlocks(int buffers) {
        blocks = buffers * BLOCKS_PER_BUFFER;
        words = new long[blocks >>> 6];
        Arrays.fill(words, -1L);
        for (int buffer = 0; buffer < buffers; buffer++) {
            words[buffer * (BLOCKS_PER_BUFFER >>> 6)] = -2L;
        }
        count = blocks - buffers;
        emptyZones = new BitTree(blocks >>> ZONE_BITS);
        zonesWithRoom = new BitTree(blocks >>> ZONE_BITS);
        for (int zone = 0; zone < blocks >>> ZONE_BITS; zone++) {
            emptyZones.set(zone, true);
            zonesWithRoom.set(zone, true);
        }
    }

    /** Free blocks. */
    int count() {
        return count;
    }

    /** Buffers of which a block was taken at some time. */
    int openedBuffers() {
        return openedBuffers;
    }

    boolean isFree(int block) {
        return (words[block >>> 6] >>> block & 1) != 0;
    }

    /** True for a number that is a block's, not a table's or out of bounds. */
    boolean isBlock(int block) {
        return block > 0 && block < blocks && (block & (BLOCKS_PER_BUFFER - 1)) != 0;
    }

    /**
     * Takes up to {@code wanted} blocks that lie side by side in one buffer, at least one; some must be free.
     *
     * @param near the block to start with if it is free; 0 for none
     * @return the first block in the upper 32 bits, how many in the lower
     */
    long take(int near, int wanted) {
        int start = isBlock(near) && isFree(near) ? near : start();
        int length = freeFrom(start, wanted);
        mark(start, length, false);
        count -= length;
        openedBuffers = Math.max(openedBuffers, start / BLOCKS_PER_BUFFER + 1);
        return (long) start << 32 | length;
    }

    void free(int block) {
        free(block, 1);
    }

    /** Gives back blocks that lie side by side, all of them taken. */
    void free(int first, int length) {
        mark(first, length, true);
        count += length;
    }

    private int start() {
        int zone = emptyZones.first();
        if (zone < 0) {
            zone = zonesWithRoom.first();
        }
        if (zone < 0) {
            throw new IllegalStateException("no block is free");
        }
        int first = zone << ZONE_BITS;
        return first + Long.numberOfTrailingZeros(words[first >>> 6] >>> first);
    }

    private int freeFrom(int start, int wanted) {
        int limit = Math.min(wanted, BLOCKS_PER_BUFFER - (start & (BLOCKS_PER_BUFFER - 1)));
        int length = 0;
        while (length < limit) {
            int block = start + length;
            int inWord = 64 - (block & 63);
            int run = Math.min(Long.numberOfTrailingZeros(~(words[block >>> 6] >>> block)), inWord);
            length += run;
            if (run < inWord) {
                break;
            }
        }
        return Math.min(length, limit);
    }

    private void mark(int start, int length, boolean free) {
        int end = start + length;
        for (int block = start; block < end; ) {
            int zoneEnd = Math.min(end, (block | (1 << ZONE_BITS) - 1) + 1);
            long bits = ((1L << zoneEnd - block) - 1) << block;
            int word = block >>> 6;
            long before = words[word];
            long after = free ? before | bits : before & ~bits;
            words[word] = after;
            noteZone(block >>> ZONE_BITS, before, after);
            block = zoneEnd;
        }
    }

    /** Most changes leave a zone as the sets know it: neither empty nor without room, before and after. */
    private void noteZone(int zone, long before, long after) {
        int first = zone << ZONE_BITS;
        long was = before >>> first & ZONE_MASK;
        long is = after >>> first & ZONE_MASK;
        long empty = (first & (BLOCKS_PER_BUFFER - 1)) == 0 ? ZONE_WITH_TABLE : ZONE_MASK;
        if (was == empty || is == empty) {
            emptyZones.set(zone, is == empty);
        }
        if (was == 0 || is == 0) {
            zonesWithRoom.set(zone, is != 0);
        }
    }
}
