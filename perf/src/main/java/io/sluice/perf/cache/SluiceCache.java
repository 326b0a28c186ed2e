package io.sluice.perf.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cache.BlockRuns;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;

/**
 * {@link StreamingCache}, called as the store's read index calls it: an entry is inserted after the one before it, and pinned,
 * read, released and taken back.
 */
final class SluiceCache implements CacheUnderTest {
    private final StreamingCache cache;
    private final int[] addresses;
    private final BlockRuns runs = new BlockRuns();
    private byte[] wrapped = {};
    private ByteBuf wrapper = Unpooled.EMPTY_BUFFER;
    private int last = StreamingCache.NO_ENTRY;

    SluiceCache(Room room) {
        cache = new StreamingCache(new CacheConfig(room.blockCacheBytes()));
        addresses = new int[room.keys()];
    }

    @Override
    public void insert(int key, byte[] source, int offset, int length) {
        if (source != wrapped) {
            wrapped = source;
            wrapper = Unpooled.wrappedBuffer(source);
        }
        int address = cache.insert(wrapper, offset, length, last);
        if (address == StreamingCache.NO_ROOM) {
            throw new IllegalStateException("the cache is full");
        }
        addresses[key] = address;
        last = address;
    }

    @Override
    public int get(int key, byte[] destination) {
        int address = addresses[key];
        int length = cache.length(address);
        runs.clear();
        cache.gather(address, 0, length, runs);
        ByteBuf entry = cache.pin(runs);
        entry.getBytes(0, destination, 0, length);
        entry.release();
        cache.reclaim();
        return length;
    }

    @Override
    public void delete(int key) {
        cache.delete(addresses[key]);
        addresses[key] = StreamingCache.NO_ENTRY;
    }

    @Override
    public void clear() {
        for (int key = 0; key < addresses.length; key++) {
            if (addresses[key] != StreamingCache.NO_ENTRY) {
                delete(key);
            }
        }
        last = StreamingCache.NO_ENTRY;
    }

    @Override
    public void close() {
        cache.close();
    }
}
