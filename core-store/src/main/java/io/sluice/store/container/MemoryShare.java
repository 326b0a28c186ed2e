package io.sluice.store.container;

/**
 * One container's share of the process's memory. It follows the number of containers while the container runs, all of it at
 * once: see {@link Container#resize}.
 *
 * @param log its frames; sizes of ledgers and of the log must be those the container began with
 * @param maxAppendBytes most bytes of one append
 * @param cacheBytes capacity of its cache, at least twice what an append of {@code maxAppendBytes} takes there
 * @param readAheadBytes what its tier may read ahead for sequential readers
 */
public record MemoryShare(ContainerConfig.Log log, int maxAppendBytes, long cacheBytes, long readAheadBytes) {
    /** Bytes that may wait for long-term storage before writers are slowed to a crawl. */
    public long untieredRoom() {
        return Math.min(cacheBytes - maxAppendBytes, log.untieredRoom());
    }
}
