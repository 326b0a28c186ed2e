package io.sluice.store.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The tables in the first block of every buffer: 8 bytes for each of its 512 blocks.
 *
 * <pre>
 *   63      62 ─ 48   47 ─ 38    37 ─ 26      25 ─ 0
 *   deleted pins      ordinal    length - 1   predecessor (0: first of its entry)
 * </pre>
 *
 * <p>The ordinal counts an entry's blocks from 0; all but the last are full, so the last alone tells the entry's length. A
 * slot means something only while its block is taken, so tables need no preparing, and a buffer's pages stay
 * untouched until its first block is taken.
 */
final class BlockTable {
    static final int MAX_PINS = (1 << 15) - 1;
    private static final int PREDECESSOR_MASK = (1 << 26) - 1;
    private static final int LENGTH_SHIFT = 26;
    private static final int LENGTH_MASK = (1 << 12) - 1;
    private static final int ORDINAL_SHIFT = 38;
    private static final int ORDINAL_MASK = (1 << 10) - 1;
    private static final int PINS_SHIFT = 48;
    private static final long ONE_PIN = 1L << PINS_SHIFT;
    private static final long DELETED = 1L << 63;

    private final MemorySegment memory;

    BlockTable(MemorySegment memory) {
        this.memory = memory;
    }

    /** The block's slot as it is now, for the static accessors; it does not follow later changes. */
    long slot(int block) {
        return memory.get(ValueLayout.JAVA_LONG, offset(block));
    }

    static int predecessor(long slot) {
        return (int) slot & PREDECESSOR_MASK;
    }

    static int length(long slot) {
        return ((int) (slot >>> LENGTH_SHIFT) & LENGTH_MASK) + 1;
    }

    static int ordinal(long slot) {
        return (int) (slot >>> ORDINAL_SHIFT) & ORDINAL_MASK;
    }

    static int pins(long slot) {
        return (int) (slot >>> PINS_SHIFT) & MAX_PINS;
    }

    static boolean deleted(long slot) {
        return slot < 0;
    }

    void write(int block, int predecessor, int ordinal, int length) {
        set(block, predecessor | (long) (length - 1) << LENGTH_SHIFT | (long) ordinal << ORDINAL_SHIFT);
    }

    void length(int block, int length) {
        set(block, slot(block) & ~((long) LENGTH_MASK << LENGTH_SHIFT) | (long) (length - 1) << LENGTH_SHIFT);
    }

    void pin(int block) {
        set(block, slot(block) + ONE_PIN);
    }

    /** Takes one pin off; true if it was the last one of a deleted block, which is to be freed now. */
    boolean unpin(int block) {
        long slot = slot(block) - ONE_PIN;
        set(block, slot);
        return deleted(slot) && pins(slot) == 0;
    }

    void delete(int block) {
        set(block, slot(block) | DELETED);
    }

    private void set(int block, long slot) {
        memory.set(ValueLayout.JAVA_LONG, offset(block), slot);
    }

    private static long offset(int block) {
        int inBuffer = block & (CacheLayout.BLOCKS_PER_BUFFER - 1);
        return (long) (block - inBuffer) * CacheLayout.BLOCK_BYTES + inBuffer * 8L;
    }
}
