package io.sluice.store.sim;

import io.sluice.store.segment.SegmentInfo;

/**
 * Whatever a client was told is durable is there after every recovery, and what nobody asked for is not. Where the log defers the
 * disk's sync, that holds for what was on the disks.
 */
final class NoAcknowledgedAppendLost implements Checker {
    private final SimWorld world;

    NoAcknowledgedAppendLost(SimWorld world) {
        this.world = world;
    }

    @Override
    public void served(SimOwner owner, SimModel before) {
        for (SimSegment known : before.segments.values()) {
            SegmentInfo found = owner.container().segments().info(known.id);
            if (found == null) {
                require(known.deleted || !known.createPromised, "segment " + known.id + " is gone");
            } else {
                check(known, found);
            }
        }
    }

    /** A promise that comes after another owner has recovered holds only if that owner found the append. */
    @Override
    public void acknowledged(SimOwner owner, SimSegment segment, SimAppend append) {
        SimOwner newest = world.newest();
        if (newest != null && newest != owner && !world.defersSync()) {
            SimSegment now = newest.model().get(segment.id);
            SimAppend there = now == null ? append : now.holding(append.position());
            require(append.equals(there), "append " + append + " was promised late and is not there");
        }
    }

    private void check(SimSegment known, SegmentInfo found) {
        String which = "segment " + known.id + ": " + found;
        require(!known.deletePromised, which + " was deleted");
        long promised = world.defersSync() ? known.safeLength : known.promisedLength;
        require(found.durableLength() >= promised, which + " had promised " + promised);
        require(found.durableLength() <= known.length, which + " was never longer than " + known.length);
        require(found.start() >= known.promisedStart && found.start() <= known.start, which + " starts elsewhere");
        require(found.sealed() ? known.sealed : !known.sealPromised, which + " is sealed or not");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new Violation(NoAcknowledgedAppendLost.class, what);
        }
    }
}
