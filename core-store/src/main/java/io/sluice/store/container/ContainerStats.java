package io.sluice.store.container;

import io.sluice.store.pressure.Fill;

/**
 * How a container fares, for those who watch it; at most 100 ms old. What counts begins at 0 with each term.
 *
 * @param segments served
 * @param appendedBytes counts what was appended
 * @param refusedAppends counts appends that waited in vain for the store to have room
 * @param log what is written
 * @param cacheUsedBytes blocks taken
 * @param cacheCapacityBytes blocks there are
 * @param cacheHits counts reads that the cache answered
 * @param cacheMisses counts reads of bytes that were not in the cache
 * @param fill how full log and cache are
 * @param delayMicros what writers wait per MiB, or {@link io.sluice.store.pressure.Pressure#CLOSED}
 * @param tierReads counts reads from long-term storage
 * @param tierReadFailures counts those that failed
 * @param timers tasks that its loop has for later
 * @param stepFailures counts attempts to open or drop ledgers that failed and are tried again
 */
public record ContainerStats(
        int segments,
        long appendedBytes,
        long refusedAppends,
        Log log,
        long cacheUsedBytes,
        long cacheCapacityBytes,
        long cacheHits,
        long cacheMisses,
        Fill fill,
        long delayMicros,
        long tierReads,
        long tierReadFailures,
        int timers,
        long stepFailures) {
    /**
     * @param bytes of all ledgers: what a recovery would read
     * @param untieredBytes of segments, which only the log has
     * @param ledgers of the chain
     * @param framesInFlight writes not yet acknowledged
     * @param bytesInFlight bytes of those
     * @param writes counts acknowledged writes
     * @param writeMicros sums up how long they took
     * @param expectedMicros what the next one is expected to take
     */
    public record Log(
            long bytes,
            long untieredBytes,
            int ledgers,
            int framesInFlight,
            int bytesInFlight,
            long writes,
            long writeMicros,
            long expectedMicros) {}
}
