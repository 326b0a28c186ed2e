package io.sluice.perf.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.CacheStats;
import io.sluice.store.cache.StreamingCache;
import java.util.Locale;

/**
 * Memory of a full {@link StreamingCache} above its payload.
 *
 * @param title how it was filled
 * @param used bytes of blocks and tables, {@link CacheStats#usedBytes()}
 * @param stored bytes of payload
 */
record Overhead(String title, long used, long stored) {
    private static final long CAPACITY_BYTES = 256L << 20;
    private static final int GROWN_BYTES = 1 << 20;

    /** Filled with entries that are inserted whole and never grow: the last block of each is rounded up. */
    static Overhead ofWhole(int entryBytes) {
        return of("entries of " + Discipline.kibibytes(entryBytes), entryBytes, entryBytes);
    }

    /** Filled with entries that grow, as the store's do, by appends up to 1 MiB. */
    static Overhead ofGrown(int appendBytes) {
        String title = "entries grown by " + Discipline.kibibytes(appendBytes) + " to 1 MiB";
        return of(title, appendBytes, GROWN_BYTES);
    }

    private static Overhead of(String title, int appendBytes, int entryBytes) {
        ByteBuf data = Unpooled.wrappedBuffer(new byte[appendBytes]);
        try (var cache = new StreamingCache(new CacheConfig(CAPACITY_BYTES))) {
            int address = StreamingCache.NO_ENTRY;
            do {
                boolean grows = address != StreamingCache.NO_ENTRY && cache.length(address) + appendBytes <= entryBytes;
                address = grows ? cache.append(address, data) : cache.insert(data);
            } while (address != StreamingCache.NO_ROOM);
            CacheStats stats = cache.stats();
            return new Overhead(title, stats.usedBytes(), stats.storedBytes());
        }
    }

    double percent() {
        return 100.0 * (used - stored) / stored;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s: %.3f %%", title, percent());
    }
}
