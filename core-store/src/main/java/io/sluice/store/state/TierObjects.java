package io.sluice.store.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Objects of long-term storage this container wrote or means to write, and how many ranges of segments point at each. */
final class TierObjects {
    /** Generations are counted up to this one, which the checkpoint has room for. */
    static final int MOST_GENERATIONS = 127;

    private final TreeMap<Long, TierObject> objects = new TreeMap<>();

    /** @param references ranges in manifests that lie in it */
    static final class TierObject {
        boolean committed;
        int references;
        /** How often the bytes in it were rewritten: 0 for what came from the log. */
        int generation;

        /** Sequence of the operation that took the last reference away. */
        long unreferencedAt;
    }

    void intend(long object) {
        boolean fresh = objects.putIfAbsent(object, new TierObject()) == null;
        BrokenInvariant.unless(fresh, "second intent for object " + object, -1);
    }

    void commit(long object, int references, long sequence) {
        TierObject intended = objects.get(object);
        BrokenInvariant.unless(
                intended != null && !intended.committed, "commit without an intent, object " + object, -1);
        if (intended != null) {
            intended.committed = true;
            intended.references = references;
            intended.unreferencedAt = sequence;
        }
    }

    /** The bytes of {@code object}, which was just committed, were in objects of {@code newest} at most. */
    void rewritten(long object, int newest) {
        TierObject committed = objects.get(object);
        if (committed != null) {
            committed.generation = Math.min(newest + 1, MOST_GENERATIONS);
        }
    }

    /** 0 for an object that is not known. */
    int generation(long object) {
        TierObject found = objects.get(object);
        return found == null ? 0 : found.generation;
    }

    void release(long object, long sequence) {
        TierObject committed = objects.get(object);
        BrokenInvariant.unless(
                committed != null && committed.references > 0, "released too often, object " + object, -1);
        if (committed != null && --committed.references == 0) {
            committed.unreferencedAt = sequence;
        }
    }

    void collected(long object) {
        TierObject gone = objects.remove(object);
        BrokenInvariant.unless(
                gone == null || gone.references == 0, "collected while referenced, object " + object, -1);
    }

    /**
     * @param durable sequence up to which operations are durable: a reference taken away by a later one may come back
     * @param firstOfTerm objects from this on may be in the writing
     */
    List<Long> garbage(long durable, long firstOfTerm) {
        List<Long> garbage = new ArrayList<>();
        for (Map.Entry<Long, TierObject> entry : objects.entrySet()) {
            TierObject object = entry.getValue();
            boolean abandoned = !object.committed && entry.getKey() < firstOfTerm;
            boolean unused = object.committed && object.references == 0 && object.unreferencedAt <= durable;
            if (abandoned || unused) {
                garbage.add(entry.getKey());
            }
        }
        return garbage;
    }

    TreeMap<Long, TierObject> all() {
        return objects;
    }
}
