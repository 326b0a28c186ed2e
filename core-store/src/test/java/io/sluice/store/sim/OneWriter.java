package io.sluice.store.sim;

import java.util.HashMap;
import java.util.Map;

/** Terms rise, and no two owners ever promise different things for the same place. */
final class OneWriter implements Checker {
    private record Place(long segment, long position) {}

    private final Map<Place, Long> promised = new HashMap<>();
    private long newestTerm;

    @Override
    public void served(SimOwner owner, SimModel before) {
        if (owner.container().term() <= newestTerm) {
            throw new Violation(getClass(), "term " + owner.container().term() + " serves after term " + newestTerm);
        }
        newestTerm = owner.container().term();
    }

    @Override
    public void acknowledged(SimOwner owner, SimSegment segment, SimAppend append) {
        Long earlier = promised.put(new Place(segment.id, append.position()), append.id());
        if (earlier != null && earlier != append.id()) {
            throw new Violation(
                    getClass(),
                    "two appends were promised position " + append.position() + " of segment " + segment.id);
        }
    }
}
