package io.sluice.kafka.share;

/**
 * How much a member fetches.
 *
 * @param minBytes that a partition has before it is read, about, until the time is up
 * @param bytes of the answer; the last batch may go beyond
 * @param exact whether there are to be no more records than {@code records}; else the last batch may go beyond
 */
record ShareWish(int waitMillis, int minBytes, int bytes, int records, boolean exact) {
    /** Bytes that are read at once at least. */
    static final int LEAST_READ = 64 << 10;

    static final int MOST_READ = 8 << 20;

    /** Only acknowledges. */
    static final ShareWish NOTHING = new ShareWish(0, 0, 0, 0, false);
}
