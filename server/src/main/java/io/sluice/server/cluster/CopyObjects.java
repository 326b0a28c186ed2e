package io.sluice.server.cluster;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoredObject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Makes the objects of one store those of another. May be repeated, also after the source has changed: an object that is there in full is left,
 * as the bytes under a name never change, and what the source has no more goes.
 */
final class CopyObjects {
    private static final int PAGE = 1_000;
    private static final Pattern OF_CONTAINERS = Pattern.compile("c\\d+/.+");

    private final ObjectStore from;
    private final ObjectStore to;

    CopyObjects(ObjectStore from, ObjectStore to) {
        this.from = from;
        this.to = to;
    }

    /** Returns the number of objects that were copied; one at a time is in memory. */
    int run() throws ObjectStoreException {
        int copied = 0;
        Map<String, Long> there = sizes(to);
        Map<String, Long> wanted = sizes(from);
        for (Map.Entry<String, Long> each : wanted.entrySet()) {
            if (!each.getValue().equals(there.get(each.getKey()))) {
                copy(each.getKey(), each.getValue());
                copied++;
            }
        }
        there.keySet().removeAll(wanted.keySet());
        List<String> superfluous = List.copyOf(there.keySet());
        for (int begin = 0; begin < superfluous.size(); begin += PAGE) {
            to.delete(superfluous.subList(begin, Math.min(superfluous.size(), begin + PAGE)));
        }
        return copied;
    }

    /** Bytes of the containers' objects, by name; others are not the store's. */
    private static Map<String, Long> sizes(ObjectStore store) throws ObjectStoreException {
        Map<String, Long> sizes = new TreeMap<>();
        List<StoredObject> page;
        String after = "";
        do {
            page = store.list("", after, PAGE);
            for (StoredObject each : page) {
                if (OF_CONTAINERS.matcher(each.name()).matches()) {
                    sizes.put(each.name(), each.size());
                }
                after = each.name();
            }
        } while (page.size() == PAGE);
        return sizes;
    }

    private void copy(String name, long size) throws ObjectStoreException {
        ByteBuf content = from.read(name, 0, Math.toIntExact(size), PooledByteBufAllocator.DEFAULT);
        try {
            to.put(name, content);
        } finally {
            content.release();
        }
    }
}
