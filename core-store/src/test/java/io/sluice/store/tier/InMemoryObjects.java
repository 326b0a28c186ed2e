package io.sluice.store.tier;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Objects of one container in memory; outlives terms. */
public final class InMemoryObjects {
    private final Map<Long, byte[]> objects = new ConcurrentHashMap<>();

    public void put(long object, byte[] bytes) {
        objects.put(object, bytes);
    }

    public byte @Nullable [] get(long object) {
        return objects.get(object);
    }

    public void delete(long object) {
        objects.remove(object);
    }

    public int count() {
        return objects.size();
    }

    public boolean holds(long object) {
        return objects.containsKey(object);
    }
}
