package io.sluice.store.read;

/**
 * Contents of the read index and results of reads; counters only rise.
 *
 * @param entries cached ranges
 * @param evictableBytes whole blocks that may be evicted
 * @param catchUpBytes part of them that is evicted first
 * @param hits reads answered
 * @param misses reads of positions that were not cached
 * @param evicted entries evicted
 */
public record ReadStats(int entries, long evictableBytes, long catchUpBytes, long hits, long misses, long evicted) {}
