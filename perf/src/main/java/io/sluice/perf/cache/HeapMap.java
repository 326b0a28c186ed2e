package io.sluice.perf.cache;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** A {@link HashMap} of arrays on the heap: what one would write in an afternoon. */
final class HeapMap implements CacheUnderTest {
    private final Map<Long, byte[]> entries = new HashMap<>();

    @Override
    public void insert(int key, byte[] source, int offset, int length) {
        entries.put((long) key, Arrays.copyOfRange(source, offset, offset + length));
    }

    @Override
    public int get(int key, byte[] destination) {
        byte[] entry = entries.get((long) key);
        if (entry == null) {
            throw new IllegalStateException("there is no entry " + key);
        }
        System.arraycopy(entry, 0, destination, 0, entry.length);
        return entry.length;
    }

    @Override
    public void delete(int key) {
        entries.remove((long) key);
    }

    @Override
    public void clear() {
        entries.clear();
    }

    @Override
    public void close() {
        entries.clear();
    }
}
