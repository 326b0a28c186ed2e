package io.sluice.store.read;

/**
 * What the index holds, and what became of reads; counters only rise.
 *
 * @param entries cached ranges
 * @param evictableBytes whole blocks that may be evicted
 * @param catchUpBytes part of them that is evicted first
 * @param hits reads answered
 * @param misses reads of positions that were not cached
 * @param evicted entries evicted
 */
public record ReadStats(int entries, long evictableBytes, long catchUpBytes, long hits, long misses, long evicted) {}
