package io.sluice.store.cache;

import java.util.Arrays;

/**
 * Which blocks are free, and which to take next. Pure; 73 bytes per buffer of 2 MiB.
 *
 * <p>Blocks are numbered through all buffers, so a block's number is its address. A buffer's first block holds its table and
 * is never free. Sixteen blocks form a zone. A growing entry takes the block after its last one; a new entry, or one whose
 * neighbour is taken, starts in the lowest zone that is wholly free, and only when there is none does it share one. So entries that
 * grow side by side get runs of at least 64 KiB while there is space, and buffers are opened one after the other.
 *
 * <p><b>Limit.</b> Only the buffers below the limit hand out blocks. When it falls, those above it retire: what is taken in
 * them counts against what is free below, so that both together stay within the limit, until the last of it is freed.
 */
final class FreeBlocks {
    private static final int BLOCKS_PER_BUFFER = CacheLayout.BLOCKS_PER_BUFFER;
    private static final int ZONE_BITS = 4;
    private static final long ZONE_MASK = 0xFFFF;
    private static final long ZONE_WITH_TABLE = 0xFFFE;
    private static final int WORDS_PER_BUFFER = BLOCKS_PER_BUFFER >>> 6;

    private long[] words = new long[0];
    private BitTree emptyZones = new BitTree(0);
    private BitTree zonesWithRoom = new BitTree(0);
    /** The first block that is not handed out, and every one above it. */
    private int limit;
    /** Free blocks below the limit. */
    private int count;
    /** Blocks that are taken at the limit or above it, tables of their buffers included. */
    private int retiring;

    private int openedBuffers;

    FreeBlocks(int buffers) {
        limit(buffers);
    }

    /** Hands out blocks of the first {@code buffers} buffers from now on. */
    void limit(int buffers) {
        grow(buffers);
        limit = buffers * BLOCKS_PER_BUFFER;
        count = 0;
        retiring = 0;
        int opened = Math.min(openedBuffers, buffers);
        for (int buffer = 0; buffer < words.length / WORDS_PER_BUFFER; buffer++) {
            int taken = taken(buffer);
            if (buffer >= buffers) {
                retiring += taken == 0 ? 0 : taken + 1;
            } else {
                count += BLOCKS_PER_BUFFER - 1 - taken;
                opened = taken == 0 ? opened : Math.max(opened, buffer + 1);
            }
        }
        openedBuffers = opened;
        emptyZones = new BitTree(limit >>> ZONE_BITS);
        zonesWithRoom = new BitTree(limit >>> ZONE_BITS);
        for (int zone = 0; zone < limit >>> ZONE_BITS; zone++) {
            long free = words[zone >>> 2] >>> (zone << ZONE_BITS) & ZONE_MASK;
            emptyZones.set(zone, free == whole(zone));
            zonesWithRoom.set(zone, free != 0);
        }
    }

    private void grow(int buffers) {
        int before = words.length;
        if (buffers * WORDS_PER_BUFFER > before) {
            words = Arrays.copyOf(words, buffers * WORDS_PER_BUFFER);
            Arrays.fill(words, before, words.length, -1L);
            for (int word = before; word < words.length; word += WORDS_PER_BUFFER) {
                words[word] = -2L;
            }
        }
    }

    private int taken(int buffer) {
        int free = 0;
        for (int word = buffer * WORDS_PER_BUFFER; word < (buffer + 1) * WORDS_PER_BUFFER; word++) {
            free += Long.bitCount(words[word]);
        }
        return BLOCKS_PER_BUFFER - 1 - free;
    }

    /** Blocks that may be taken now; below 0 while more is taken than the limit allows. */
    int available() {
        return count - retiring;
    }

    /** Buffers below the limit of which a block was taken at some time. */
    int openedBuffers() {
        return openedBuffers;
    }

    /** Blocks are taken in buffers above the limit. */
    boolean retires() {
        return retiring > 0;
    }

    /** The block lies above the limit. */
    boolean retires(int block) {
        return block >= limit;
    }

    /** Every block of the block's buffer is free. */
    boolean bufferIsFree(int block) {
        return taken(block / BLOCKS_PER_BUFFER) == 0;
    }

    boolean isFree(int block) {
        return (words[block >>> 6] >>> block & 1) != 0;
    }

    /** True for a number that is a block's, not a table's or out of bounds. */
    boolean isBlock(int block) {
        return block > 0 && block < words.length << 6 && (block & (BLOCKS_PER_BUFFER - 1)) != 0;
    }

    /**
     * Takes up to {@code wanted} blocks that lie side by side in one buffer, at least one; some must be free.
     *
     * @param near the block to start with if it is free; 0 for none
     * @return the first block in the upper 32 bits, how many in the lower
     */
    long take(int near, int wanted) {
        int start = near < limit && isBlock(near) && isFree(near) ? near : start();
        int length = freeFrom(start, wanted);
        mark(start, length, false);
        count -= length;
        openedBuffers = Math.max(openedBuffers, start / BLOCKS_PER_BUFFER + 1);
        return (long) start << 32 | length;
    }

    void free(int block) {
        free(block, 1);
    }

    /** Gives back blocks that lie side by side in one buffer, all of them taken. */
    void free(int first, int length) {
        mark(first, length, true);
        if (first < limit) {
            count += length;
        } else {
            retiring -= bufferIsFree(first) ? length + 1 : length;
        }
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
            if (block < limit) {
                noteZone(block >>> ZONE_BITS, before, after);
            }
            block = zoneEnd;
        }
    }

    /** Most changes leave a zone as the sets know it: neither empty nor without room, before and after. */
    private void noteZone(int zone, long before, long after) {
        int first = zone << ZONE_BITS;
        long was = before >>> first & ZONE_MASK;
        long is = after >>> first & ZONE_MASK;
        long empty = whole(zone);
        if (was == empty || is == empty) {
            emptyZones.set(zone, is == empty);
        }
        if (was == 0 || is == 0) {
            zonesWithRoom.set(zone, is != 0);
        }
    }

    /** Bits of a zone with all its blocks free. */
    private static long whole(int zone) {
        return (zone << ZONE_BITS & (BLOCKS_PER_BUFFER - 1)) == 0 ? ZONE_WITH_TABLE : ZONE_MASK;
    }
}
