package io.sluice.perf.cache;

import io.pravega.common.util.BufferView;
import io.pravega.common.util.ByteArraySegment;
import io.pravega.segmentstore.storage.cache.CacheStorage;
import io.pravega.segmentstore.storage.cache.DirectMemoryCache;
import java.nio.ByteBuffer;

/** Pravega's own streaming cache. */
final class PravegaCache implements CacheUnderTest {
    private final DirectMemoryCache cache;
    private final int[] addresses;

    PravegaCache(Room room) {
        cache = new DirectMemoryCache(room.blockCacheBytes());
        addresses = new int[room.keys()];
    }

    @Override
    public void insert(int key, byte[] source, int offset, int length) {
        addresses[key] = cache.insert(new ByteArraySegment(source, offset, length));
    }

    @Override
    public int get(int key, byte[] destination) {
        BufferView entry = cache.get(addresses[key]);
        if (entry == null) {
            throw new IllegalStateException("there is no entry " + key);
        }
        int length = entry.copyTo(ByteBuffer.wrap(destination));
        entry.release();
        return length;
    }

    @Override
    public void delete(int key) {
        cache.delete(addresses[key]);
        addresses[key] = CacheStorage.NO_ADDRESS;
    }

    @Override
    public void clear() {
        for (int key = 0; key < addresses.length; key++) {
            if (addresses[key] != CacheStorage.NO_ADDRESS) {
                delete(key);
            }
        }
    }

    @Override
    public void close() {
        cache.close();
    }
}
