package io.sluice.store.cache;

/**
 * How full a cache is, in bytes.
 *
 * @param capacityBytes the bound, tables included
 * @param usedBytes whole blocks that are taken, tables of buffers in use included; more than
 *     {@code capacityBytes} only while entries from before the capacity became smaller are held
 * @param storedBytes bytes of live entries; less than {@code usedBytes} by part-filled last blocks and tables
 * @param freeBytes what new entries can still take, in whole blocks
 * @param deletedPinnedBytes whole blocks of deleted entries that readers still hold; part of {@code usedBytes}
 */
public record CacheStats(
        long capacityBytes, long usedBytes, long storedBytes, long freeBytes, long deletedPinnedBytes) {}
