package io.sluice.tiering.verify;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.format.Blocks;
import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.format.Span;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoredObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One container's objects: whether each is there, is long enough for its ranges, and holds what was committed. */
public final class VerifyObjects {
    private static final int LISTED_AT_ONCE = 1_000;

    private final ObjectStore store;
    private final int container;
    private final boolean checksums;
    private final Map<String, Long> sizes = new HashMap<>();
    private final Set<String> named = new HashSet<>();

    private VerifyObjects(ObjectStore store, int container, boolean checksums) {
        this.store = store;
        this.container = container;
        this.checksums = checksums;
    }

    /**
     * Lists the container's objects.
     *
     * @param checksums read every range that is asked about, too
     */
    public static VerifyObjects of(ObjectStore store, int container, boolean checksums) throws ObjectStoreException {
        VerifyObjects objects = new VerifyObjects(store, container, checksums);
        String prefix = "c" + container + "/";
        String after = "";
        List<StoredObject> page;
        do {
            page = store.list(prefix, after, LISTED_AT_ONCE);
            for (StoredObject object : page) {
                objects.sizes.put(object.name(), object.size());
                after = object.name();
            }
        } while (page.size() == LISTED_AT_ONCE);
        return objects;
    }

    /** Returns the problems of the range, in words; empty if it can be read. */
    public List<String> check(TierRange range) {
        String name = ObjectNames.of(container, range.object());
        named.add(name);
        Long size = sizes.get(name);
        long end = range.offset() + Blocks.storedLength(range.length());
        if (size == null) {
            return List.of("object " + name + " is missing");
        }
        if (size < end) {
            return List.of("object " + name + " has " + size + " bytes, the range ends at " + end);
        }
        return checksums ? damage(range, name) : List.of();
    }

    private List<String> damage(TierRange range, String name) {
        String whole = damage(Span.covering(range, range.position(), range.end()), name);
        if (whole == null) {
            return List.of();
        }
        List<String> found = new ArrayList<>();
        for (long at = range.position(); at < range.end(); at += Blocks.BYTES) {
            String block = damage(Span.covering(range, at, Math.min(range.end(), at + Blocks.BYTES)), name);
            if (block != null) {
                found.add(block);
            }
        }
        return found.isEmpty() ? List.of(whole) : found;
    }

    private @Nullable String damage(Span span, String name) {
        ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
        try {
            ByteBuf stored = store.read(name, span.storedOffset(), span.storedLength(), allocator);
            try {
                span.open(stored, allocator).release();
            } finally {
                stored.release();
            }
            return null;
        } catch (ObjectStoreException e) {
            return e.getMessage();
        } catch (Span.DamagedBlockException e) {
            return "object " + name + ", byte " + span.storedOffset() + ": " + e.getMessage();
        }
    }

    /** Objects that are there. */
    public int count() {
        return sizes.size();
    }

    /** Objects that no range named that was asked about: the collector's, or left by a crash. */
    public int unnamed() {
        return (int)
                sizes.keySet().stream().filter(name -> !named.contains(name)).count();
    }
}
