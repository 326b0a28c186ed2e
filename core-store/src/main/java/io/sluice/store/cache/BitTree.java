package io.sluice.store.cache;

/** A set of small integers that finds its least member in a step per level: each level has a bit per non-zero word of the one below. */
final class BitTree {
    private final long[][] levels;

    BitTree(int size) {
        int depth = 1;
        for (int words = words(size); words > 1; words = words(words)) {
            depth++;
        }
        levels = new long[depth][];
        int bits = size;
        for (int level = 0; level < depth; level++) {
            levels[level] = new long[words(bits)];
            bits = levels[level].length;
        }
    }

    void set(int index, boolean member) {
        int bit = index;
        for (long[] level : levels) {
            int word = bit >>> 6;
            long before = level[word];
            long after = member ? before | 1L << bit : before & ~(1L << bit);
            level[word] = after;
            if ((before == 0) == (after == 0)) {
                return; // the level above says the same as before
            }
            bit = word;
        }
    }

    /** The least member, or -1. */
    int first() {
        int index = 0;
        for (int level = levels.length - 1; level >= 0; level--) {
            long word = levels[level][index];
            if (word == 0) {
                return -1;
            }
            index = (index << 6) + Long.numberOfTrailingZeros(word);
        }
        return index;
    }

    private static int words(int bits) {
        return Math.max(1, (bits + 63) >>> 6);
    }
}
