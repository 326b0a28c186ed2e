package io.sluice.store.sim;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Terms rise; no two owners ever promise different things for the same place; and an owner promises nothing that it began
 * after a later one had come to serve. Where a crash may take what was promised, its place is promised again.
 */
final class OneWriter implements Checker {
    private record Place(long segment, long position) {}

    private final LongSupplier nextAppend;
    private final boolean again;
    private final Map<Place, Long> promised = new HashMap<>();
    /** By term: the first append that came when a later term served. */
    private final NavigableMap<Long, Long> replacedAt = new TreeMap<>();

    private long newestTerm;

    /**
     * @param nextAppend id of the append that any client will begin next
     * @param again places may be promised again
     */
    OneWriter(LongSupplier nextAppend, boolean again) {
        this.nextAppend = nextAppend;
        this.again = again;
    }

    @Override
    public void served(SimOwner owner, SimModel before) {
        if (owner.container().term() <= newestTerm) {
            throw new Violation(getClass(), "term " + owner.container().term() + " serves after term " + newestTerm);
        }
        replacedAt.put(newestTerm, nextAppend.getAsLong());
        newestTerm = owner.container().term();
    }

    @Override
    public void acknowledged(SimOwner owner, SimSegment segment, SimAppend append) {
        long term = owner.container().term();
        Map.Entry<Long, Long> replaced = replacedAt.ceilingEntry(term);
        if (term < newestTerm && replaced != null && append.id() >= replaced.getValue()) {
            throw new Violation(
                    getClass(), "term " + term + " promised what it began when term " + newestTerm + " served");
        }
        Long earlier = promised.put(new Place(segment.id, append.position()), append.id());
        if (!again && earlier != null && earlier != append.id()) {
            throw new Violation(
                    getClass(),
                    "two appends were promised position " + append.position() + " of segment " + segment.id);
        }
    }
}
