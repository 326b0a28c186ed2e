package io.sluice.store.read;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.LongObjectHashMap;
import io.sluice.store.cache.BlockRuns;
import io.sluice.store.cache.StreamingCache;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which positions of a container's segments are in the cache, and what leaves it when it is full. Called on the container's
 * loop only.
 *
 * <pre>
 *   segment   start ──────────── tieredLength ─────────── end
 *             [entry][entry]  [entry][entry][entry][entry ──► append grows the last one
 *             may be evicted, oldest generation first │ held: the cache has the only copy that can be read
 * </pre>
 *
 * <p><b>Order of eviction.</b> Catch-up data first, in the order in which it came; then the oldest generation. A generation
 * is the time in which a 32nd of the cache is written; an entry belongs to the one in which it was last read or grew.
 * <b>Visibility.</b> The index knows nothing of durability: a container that appends when it sequences must cut its reads at
 * the durable length.
 */
public final class ReadIndex {
    /** Generations in the time in which the whole cache is written once. */
    private static final int GENERATIONS_PER_CAPACITY = 32;
    /** Entries used within this many generations are the tail, which catch-up reads never displace. */
    private static final int TAIL_GENERATIONS = 8;
    /** Entries one call may evict beyond what the blocks it needs account for: readers may hold what was evicted. */
    private static final int EXTRA_EVICTIONS = 64;
    /** Pieces of one read; below the number a gathering write takes at once. */
    private static final int MAX_RUNS = 512;

    private final StreamingCache cache;
    private final int maxEntryBytes;
    private final double catchUpShare;
    private long catchUpBlocksLimit;
    private long generationBytes;
    private final LongObjectHashMap<SegmentEntries> segments = new LongObjectHashMap<>();
    private final EvictionOrder order = new EvictionOrder();
    private final BlockRuns runs = new BlockRuns();

    private long generationLeft;
    private long evictableBlocks;
    private long catchUpBlocks;
    private int entries;
    private long hits;
    private long misses;
    private long evicted;

    /** The cache is the caller's to close, after {@link #clear}. */
    public ReadIndex(StreamingCache cache, ReadConfig config) {
        this.cache = cache;
        this.maxEntryBytes = config.maxEntryBytes();
        this.catchUpShare = config.catchUpShare();
        divide(cache.stats().capacityBytes());
        this.generationLeft = generationBytes;
    }

    private void divide(long capacity) {
        catchUpBlocksLimit = (long) (capacity * catchUpShare) / StreamingCache.BLOCK_BYTES;
        generationBytes = Math.max(1, capacity / GENERATIONS_PER_CAPACITY);
    }

    /**
     * Changes the cache's capacity. Of what a smaller one has no room for, the tier's bytes go at once; the others stay, and
     * count, until the tier has them.
     *
     * @param capacityBytes as in {@link StreamingCache#resize}
     */
    public void resize(long capacityBytes) {
        divide(cache.resize(capacityBytes));
        generationLeft = Math.min(generationLeft, generationBytes);
        List<CacheEntry> leaving = new ArrayList<>();
        for (SegmentEntries of : segments.values()) {
            of.all().stream().filter(this::leaves).forEach(leaving::add);
        }
        leaving.forEach(this::evict);
        long over = -cache.freeBlocks();
        for (CacheEntry victim = victim(null); over > 0 && victim != null; victim = victim(null)) {
            over -= blocks(victim.length); // readers may hold it still
            evict(victim);
        }
    }

    /** It may be evicted, and lies where the cache has no room for it any more. */
    private boolean leaves(CacheEntry entry) {
        return entry.evictable() && cache.retires(entry.address);
    }

    /**
     * Caches {@code data} (borrowed, indices untouched, not empty, any size) as the segment's new end, evicting as needed.
     *
     * @param position at or past the end of everything appended before; a gap is allowed
     * @return false if there is no room because too much is held: nothing has changed, push writers back
     */
    public boolean append(long segment, long position, ByteBuf data) {
        int length = data.readableBytes();
        SegmentEntries of = segment(segment);
        if (length == 0 || position < of.end) {
            throw new IllegalArgumentException("append of " + length + " bytes at " + position + " to segment "
                    + segment + ", which is cached to " + of.end);
        }
        // What the tier has a part of is not grown, or that would be held until the tier has the rest: of many small
        // segments, all of the cache.
        boolean grows = of.tail != null && of.tail.end() == position && of.tiered <= of.tail.position;
        CacheEntry tail = grows ? of.tail : null;
        int intoTail = tail == null ? 0 : Math.min(length, maxEntryBytes - tail.length);
        if (!makeRoom(blocksToAppend(tail, intoTail, length), position, null)) {
            return false;
        }
        if (tail != null && intoTail > 0) {
            growTail(tail, data, intoTail);
        }
        addAtEnd(of, position, data, intoTail);
        written(length);
        return true;
    }

    /**
     * Caches bytes read from the tier, as far as they are not cached and room can be found. {@code data} is borrowed. The
     * segment must exist; the bytes must lie below its tiered length.
     *
     * @param evictFirst for catch-up: evicted before all else, and never displaces what was used at the tail lately
     * @return bytes that were added; fewer than given is no error
     */
    public int insert(long segment, long position, ByteBuf data, boolean evictFirst) {
        SegmentEntries of = segment(segment);
        long end = position + data.readableBytes();
        tiered(segment, end);
        int added = 0;
        CacheEntry before = null;
        for (long at = position; at < end; ) {
            CacheEntry cached = of.holdingOrAbove(at);
            if (cached != null && cached.position <= at) {
                at = cached.end();
                continue;
            }
            long gapEnd = cached == null ? end : Math.min(end, cached.position);
            int bytes = (int) Math.min(gapEnd - at, maxEntryBytes);
            if (!makeRoom(blocks(bytes), position, evictFirst ? of : null)) {
                break;
            }
            int index = data.readerIndex() + (int) (at - position);
            before = store(new CacheEntry(of, at, evictFirst), data, index, bytes, before);
            added += bytes;
            at += bytes;
        }
        return added;
    }

    /** Most bytes that data inserted to be evicted first may displace. */
    public long catchUpBytes() {
        return catchUpBlocksLimit * StreamingCache.BLOCK_BYTES;
    }

    /**
     * Pinned bytes from {@code position}, without a copy: as many adjacent entries as {@code maxBytes} asks for.
     *
     * @return at least one byte, possibly fewer than {@code maxBytes}; the caller releases. Null if {@code position} is not cached
     */
    public @Nullable ByteBuf read(long segment, long position, int maxBytes) {
        ByteBuf data = pin(segment, position, maxBytes);
        if (data == null) {
            misses++;
        } else {
            hits++;
        }
        return data;
    }

    /** As {@link #read}, of bytes that are not for a reader: neither a hit nor a miss. */
    public @Nullable ByteBuf pin(long segment, long position, int maxBytes) {
        SegmentEntries of = segments.get(segment);
        CacheEntry entry = of == null || maxBytes < 1 ? null : of.holding(position);
        if (of == null || entry == null) {
            return null;
        }
        runs.clear();
        long at = position;
        int left = maxBytes;
        while (entry != null && left > 0 && runs.count() < MAX_RUNS) {
            int offset = (int) (at - entry.position);
            int bytes = Math.min(left, entry.length - offset);
            cache.gather(entry.address, offset, bytes, runs);
            touch(entry);
            at += bytes;
            left -= bytes;
            entry = left > 0 ? of.startingAt(at) : null;
        }
        return cache.pin(runs);
    }

    /**
     * The cached range that holds {@code position}, or else the next one above it; null if there is none. {@code from} is
     * not below {@code position}; {@code to} is found by looking {@code maxBytes} ahead at most.
     */
    public @Nullable CachedRange cached(long segment, long position, int maxBytes) {
        SegmentEntries of = segments.get(segment);
        CacheEntry entry = of == null ? null : of.holdingOrAbove(position);
        if (of == null || entry == null) {
            return null;
        }
        long from = Math.max(position, entry.position);
        long limit = from + maxBytes;
        long to = entry.end();
        while (to < limit && (entry = of.startingAt(to)) != null) {
            to = entry.end();
        }
        return new CachedRange(from, Math.min(to, limit));
    }

    /** Bytes below {@code upTo} are in the tier: they may be evicted from now on. Lower values than before are ignored. */
    public void tiered(long segment, long upTo) {
        SegmentEntries of = segment(segment);
        if (upTo <= of.tiered) {
            return;
        }
        CacheEntry entry = of.holdingOrAbove(of.tiered);
        of.tiered = upTo;
        while (entry != null && entry.end() <= upTo) {
            settle(entry);
            if (leaves(entry)) {
                evict(entry);
            }
            entry = of.holdingOrAbove(entry.end());
        }
    }

    /** Forgets entries that lie wholly below {@code position}. */
    public void truncate(long segment, long position) {
        SegmentEntries of = segments.get(segment);
        if (of == null) {
            return;
        }
        for (CacheEntry first = of.first(); first != null && first.end() <= position; first = of.first()) {
            of.remove(first);
            forget(first);
        }
    }

    /** Forgets the segment, which was deleted. */
    public void drop(long segment) {
        SegmentEntries of = segments.remove(segment);
        if (of != null) {
            of.all().forEach(this::forget);
        }
    }

    /** Forgets every segment: the term is over. */
    public void clear() {
        for (SegmentEntries of : segments.values()) {
            of.all().forEach(this::forget);
        }
        segments.clear();
    }

    /**
     * Evicts until about {@code bytesWanted} came free, at most 64 entries per call.
     *
     * @return bytes that came free at once; 0 when nothing may be evicted or readers still hold it all
     */
    public long evict(long bytesWanted) {
        cache.reclaim();
        long freed = 0;
        for (int i = 0; i < EXTRA_EVICTIONS && freed < bytesWanted; i++) {
            CacheEntry victim = victim(null);
            if (victim == null) {
                break;
            }
            freed += evict(victim);
        }
        return freed;
    }

    /**
     * Bytes that appends can still take: free blocks and what may be evicted. Each append may take up to a block more than
     * its size. Keep it above the bytes in flight and appends never fail. Below 0 while a cache that became smaller holds more
     * than it has room for.
     */
    public long roomBytes() {
        return (cache.freeBlocks() + evictableBlocks) * StreamingCache.BLOCK_BYTES;
    }

    /** Takes back what readers released; once per turn. Returns how much was done. */
    public int reclaim() {
        return cache.reclaim();
    }

    public ReadStats stats() {
        return new ReadStats(
                entries,
                evictableBlocks * StreamingCache.BLOCK_BYTES,
                catchUpBlocks * StreamingCache.BLOCK_BYTES,
                hits,
                misses,
                evicted);
    }

    private SegmentEntries segment(long segment) {
        SegmentEntries of = segments.get(segment);
        if (of == null) {
            of = new SegmentEntries();
            segments.put(segment, of);
        }
        return of;
    }

    private int blocksToAppend(@Nullable CacheEntry tail, int intoTail, int length) {
        int rest = length - intoTail;
        int fullEntries = rest / maxEntryBytes;
        int more = fullEntries * blocks(maxEntryBytes) + blocks(rest - fullEntries * maxEntryBytes);
        return tail == null ? more : more + blocks(tail.length + intoTail) - blocks(tail.length);
    }

    private void growTail(CacheEntry tail, ByteBuf data, int bytes) {
        tail.address = checked(cache.append(tail.address, data, data.readerIndex(), bytes));
        tail.length += bytes;
        tail.generation = order.current();
        tail.segment.end = tail.end();
    }

    private void addAtEnd(SegmentEntries of, long position, ByteBuf data, int from) {
        int length = data.readableBytes();
        for (int done = from; done < length; ) {
            int bytes = Math.min(length - done, maxEntryBytes);
            CacheEntry entry = new CacheEntry(of, position + done, false);
            of.tail = store(entry, data, data.readerIndex() + done, bytes, of.tail);
            done += bytes;
        }
    }

    /** Fills {@code entry}, close to what will be read {@code before} it. */
    private CacheEntry store(CacheEntry entry, ByteBuf data, int index, int bytes, @Nullable CacheEntry before) {
        int near = before == null ? StreamingCache.NO_ENTRY : before.address;
        entry.address = checked(cache.insert(data, index, bytes, near));
        entry.length = bytes;
        entry.generation = order.current();
        entry.segment.add(entry);
        entries++;
        settle(entry);
        return entry;
    }

    private static int checked(int address) {
        if (address == StreamingCache.NO_ROOM) {
            throw new IllegalStateException("the cache has less room than was made in it");
        }
        return address;
    }

    /**
     * Evicts until {@code blocks} are free.
     *
     * @param catchUp the segment whose catch-up data asks, null for data that comes first; that data does not displace what was
     *     read together with it, from {@code position} on
     */
    private boolean makeRoom(int blocks, long position, @Nullable SegmentEntries catchUp) {
        if (cache.freeBlocks() >= blocks) {
            return true;
        }
        cache.reclaim();
        for (int i = blocks + EXTRA_EVICTIONS; i > 0 && cache.freeBlocks() < blocks; i--) {
            CacheEntry victim = victim(catchUp);
            if (victim == null || (catchUp != null && victim.segment == catchUp && victim.position >= position)) {
                return false;
            }
            evict(victim);
        }
        return cache.freeBlocks() >= blocks;
    }

    private @Nullable CacheEntry victim(@Nullable SegmentEntries catchUp) {
        CacheEntry behind = order.firstCatchUp();
        if (catchUp == null) {
            return behind != null ? behind : order.firstUntil(order.current());
        }
        CacheEntry old =
                catchUpBlocks < catchUpBlocksLimit ? order.firstUntil(order.current() - TAIL_GENERATIONS) : null;
        return old != null ? old : behind;
    }

    private long evict(CacheEntry victim) {
        victim.segment.remove(victim);
        evicted++;
        return forget(victim);
    }

    /** Gives the entry's blocks back; its segment no longer knows it. */
    private long forget(CacheEntry entry) {
        if (entry.evictable()) {
            hold(entry);
        }
        entries--;
        return cache.delete(entry.address);
    }

    private void touch(CacheEntry entry) {
        if (entry.generation != order.current()) {
            entry.generation = order.current();
            if (entry.evictable() && !entry.catchUp) {
                order.remove(entry);
                order.add(entry);
            }
        }
    }

    /** Lets the entry be evicted if all of it is in the tier. */
    private void settle(@Nullable CacheEntry entry) {
        if (entry == null || entry.evictable() || !(entry.catchUp || entry.end() <= entry.segment.tiered)) {
            return;
        }
        order.add(entry);
        int blocks = blocks(entry.length);
        evictableBlocks += blocks;
        catchUpBlocks += entry.catchUp ? blocks : 0;
    }

    private void hold(CacheEntry entry) {
        order.remove(entry);
        int blocks = blocks(entry.length);
        evictableBlocks -= blocks;
        catchUpBlocks -= entry.catchUp ? blocks : 0;
    }

    private void written(int bytes) {
        generationLeft -= bytes;
        for (int i = 0; generationLeft <= 0 && i < EvictionOrder.GENERATIONS; i++) {
            generationLeft += generationBytes;
            order.advance();
        }
    }

    private static int blocks(int bytes) {
        return (bytes + StreamingCache.BLOCK_BYTES - 1) / StreamingCache.BLOCK_BYTES;
    }
}
