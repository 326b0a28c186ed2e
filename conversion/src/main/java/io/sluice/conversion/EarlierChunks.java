package io.sluice.conversion;

/**
 * Means to find the earlier chunks of a message.
 *
 * @param entries of the partition
 * @param index of all partitions
 */
record EarlierChunks(EarlierEntries entries, long partition, ChunkIndex index) {}
