package io.sluice.server.config;

import io.sluice.store.cache.StreamingCache;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.MemoryShare;
import io.sluice.store.segment.SegmentContainer;

/**
 * One figure from which every pool is sized, so that the defaults cannot run out of memory.
 *
 * <pre>
 *   total ─┬─ 1/4  heap (set on the command line)
 *          ├─ 1/4  streaming cache, over all containers; off-heap
 *          ├─ 1/8  requests received and not yet answered, both protocols, those that arrive among them
 *          ├─ 1/16 frames on their way to the log, over all containers
 *          ├─ 1/16 read-ahead from long-term storage, over all containers
 *          ├─ 1/16 batches that are decompressed to be checked
 *          ├─ 1/8  bookie: frames that wait for its journal, which are the ones above, and its copies of them
 *          ├─ 1/32 Kafka's fetch sessions, and 1/32 fetches that wait, on the heap
 *          ├─ 1/32 transactional ids and transactions of both protocols, on the heap
 *          ├─ 3/64 questions of nodes to each other, and their answers, on the heap
 *          ├─ 1/64 offsets of keys while a partition is compacted, on the heap, and 1/128 of what it stores
 *          └─ the rest: outbound buffers, code, metadata store, thread stacks
 * </pre>
 *
 * @param totalBytes what the process may use
 */
public record MemoryBudget(long totalBytes) {
    /** Less than this and the parts are too small to work. */
    public static final long LEAST = 512L << 20;

    private static final long CACHE_OF_ADDED_CONTAINER = 4 << 20;

    /** Sizes of frames are multiples of it. */
    private static final int FRAME_STEP = 4 << 10;

    public MemoryBudget {
        Checks.inRange("memory", totalBytes, LEAST, 1L << 44);
    }

    /** From the system property that the launcher sets with the JVM's own limits, or from those limits. */
    public static MemoryBudget ofProcess() {
        Long total = Long.getLong("sluice.memory");
        return new MemoryBudget(
                total != null ? total : Math.max(LEAST, 4 * Runtime.getRuntime().maxMemory()));
    }

    public long cacheBytes() {
        return totalBytes / 4;
    }

    public long inFlightRequestBytes() {
        return totalBytes / 8;
    }

    public long frameBytes() {
        return totalBytes / 16;
    }

    /**
     * Frames of one of so many containers: their buffers, in flight and the one that is being filled, are its share.
     *
     * @param base sizes where there is room for them, and all that has nothing to do with memory
     */
    public ContainerConfig.Log frames(ContainerConfig.Log base, int containers) {
        long share = frameBytes() / containers;
        long even = share / (base.maxInFlightFrames() + 1);
        int frame = (int) Math.clamp(even - even % FRAME_STEP, FRAME_STEP, base.frameBytes());
        int inFlight = (int) Math.clamp(share / frame - 1, 1, base.maxInFlightFrames());
        return new ContainerConfig.Log(
                frame,
                inFlight,
                inFlight * frame,
                base.ledgerBytes(),
                base.limitBytes(),
                base.durability(),
                base.forceAfterMicros());
    }

    /**
     * Share of each container, for the given number of containers.
     *
     * @param base as in {@link #frames}
     */
    public MemoryShare share(ContainerConfig.Log base, int containers) {
        long even = cacheBytes() / containers;
        long cache = Math.max(even - even % StreamingCache.BUFFER_BYTES, StreamingCache.BUFFER_BYTES);
        long append = Math.min(ContainerConfig.DEFAULT.maxAppendBytes(), Math.min(cache / 4, base.limitBytes()));
        return new MemoryShare(frames(base, containers), (int) append, cache, readAheadBytes() / containers);
    }

    /** As many containers as a running store may be given: a largest append of 1 MiB fits each. */
    public int mostContainers() {
        return (int) Math.clamp(cacheBytes() / CACHE_OF_ADDED_CONTAINER, 1, ServerConfig.Store.MOST_CONTAINERS);
    }

    /** More than these cannot be opened at all. */
    public int mostContainersOpened() {
        return (int) Math.min(cacheBytes() / StreamingCache.BUFFER_BYTES, Integer.MAX_VALUE);
    }

    public long readAheadBytes() {
        return totalBytes / 16;
    }

    /** Heap for what the server remembers of Kafka clients' fetches. */
    public long fetchSessionBytes() {
        return totalBytes / 32;
    }

    /** Heap for Kafka's fetches that wait for records. */
    public long waitingFetchBytes() {
        return totalBytes / 32;
    }

    /** Heap for transactional ids, and for open and remembered transactions, in bytes. */
    public long transactionBytes() {
        return totalBytes / 32;
    }

    /** Questions to one node, those of all others, and answers on their way in: so many bytes each. */
    public long peerBytes() {
        return totalBytes / 64;
    }

    /** Last offsets of keys, while a partition is compacted. */
    public long compactionMapBytes() {
        return totalBytes / 32;
    }

    /** Bytes of an object of a compaction; one is stored while the next is filled. */
    public int compactionObjectBytes() {
        return (int) Math.clamp(totalBytes / 128, 1 << 20, SegmentContainer.MOST_STORED_BYTES);
    }

    /** Bytes that may wait for the bookie's journal, which blocks the containers' loops at this bound: twice all frames in flight. */
    public long bookieBytes() {
        return totalBytes / 8;
    }
}
