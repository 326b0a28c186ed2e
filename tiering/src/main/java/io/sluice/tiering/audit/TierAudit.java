package io.sluice.tiering.audit;

import io.sluice.store.tier.TierRange;
import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.format.Span;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.OwnerMark;
import io.sluice.tiering.objectstore.StoredObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds objects that no manifest names and ranges whose object is not there.
 *
 * <pre>
 *   manifests ─► names that must be there, and how long ─┐
 *                                                        ├─► orphans, missing, foreign
 *   store ─────► names that are there, page by page ─────┘
 * </pre>
 *
 * <p>All manifests must be those of one store, whole and at rest: what is uploaded meanwhile would look like an orphan.
 */
public final class TierAudit {
    private static final int PAGE = 10_000;
    private static final int DELETED_AT_ONCE = 1_000;

    private final ObjectStore store;
    /** By object name. */
    private final Map<String, Needed> needed = new HashMap<>();

    private final int nextContainer;

    private static final class Needed {
        final List<TierRange> ranges = new ArrayList<>(1);
        /** Bytes the object must have. */
        long least;

        boolean found;
    }

    /**
     * @param objects number of objects that manifests name and that are whole
     * @param bytes of those
     * @param orphans that no manifest names: left by a crash, or garbage not collected yet
     * @param missing ranges whose object is not there or too short
     * @param foreign names that this store's containers never give; not to be touched
     */
    public record Report(
            long objects, long bytes, List<StoredObject> orphans, List<Missing> missing, List<StoredObject> foreign) {
        public long orphanBytes() {
            return orphans.stream().mapToLong(StoredObject::size).sum();
        }
    }

    /** An object that ranges need; {@code size} is -1 if there is none, else it has as many bytes, too few. */
    public record Missing(String object, long size, List<TierRange> ranges) {}

    /** @param nextContainer above the ids of all containers that the store has or had */
    public TierAudit(ObjectStore store, int nextContainer) {
        this.store = store;
        this.nextContainer = nextContainer;
    }

    /** A range of a container's manifests. */
    public void expect(int container, TierRange range) {
        Needed object = needed.computeIfAbsent(ObjectNames.of(container, range.object()), name -> new Needed());
        object.ranges.add(range);
        object.least = Math.max(
                object.least,
                Span.covering(range, range.position(), range.end()).storedEnd());
    }

    /** Once every range is known. */
    public Report compare() throws ObjectStoreException {
        long objects = 0;
        long bytes = 0;
        List<StoredObject> orphans = new ArrayList<>();
        List<Missing> missing = new ArrayList<>();
        List<StoredObject> foreign = new ArrayList<>();
        List<StoredObject> page;
        String after = "";
        do {
            page = store.list("", after, PAGE);
            for (StoredObject stored : page) {
                if (stored.name().equals(OwnerMark.NAME)) {
                    continue;
                }
                @Nullable Needed known = needed.get(stored.name());
                if (known == null) {
                    (isOurs(stored.name()) ? orphans : foreign).add(stored);
                    continue;
                }
                known.found = true;
                if (stored.size() < known.least) {
                    missing.add(new Missing(stored.name(), stored.size(), known.ranges));
                } else {
                    objects++;
                    bytes += stored.size();
                }
            }
            after = page.isEmpty() ? after : page.getLast().name();
        } while (page.size() == PAGE);
        needed.forEach((name, object) -> {
            if (!object.found) {
                missing.add(new Missing(name, -1, object.ranges));
            }
        });
        return new Report(objects, bytes, orphans, missing, foreign);
    }

    private boolean isOurs(String name) {
        int container = ObjectNames.container(name);
        return container >= 0 && container < nextContainer;
    }

    /** Deletes the orphans of a report, and nothing else. A container that knows one of them as garbage deletes it again. */
    public void remove(Report report) throws ObjectStoreException {
        List<String> names = report.orphans().stream().map(StoredObject::name).toList();
        for (int from = 0; from < names.size(); from += DELETED_AT_ONCE) {
            store.delete(names.subList(from, Math.min(names.size(), from + DELETED_AT_ONCE)));
        }
    }
}
