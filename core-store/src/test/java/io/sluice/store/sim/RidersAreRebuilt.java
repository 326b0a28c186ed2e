package io.sluice.store.sim;

import io.sluice.store.container.ModelRider;

/** After a recovery what rides a segment is in the state in which the operations that survived left it. */
final class RidersAreRebuilt implements Checker {
    private final boolean mayLoseNotes;

    /** @param mayLoseNotes those that were not on the disks yet */
    RidersAreRebuilt(boolean mayLoseNotes) {
        this.mayLoseNotes = mayLoseNotes;
    }

    @Override
    public void served(SimOwner owner, SimModel before) {
        for (SimSegment known : before.segments.values()) {
            if (owner.container().segments().rider(known.id) instanceof SimRider rider) {
                check(known, rider);
            }
        }
    }

    private void check(SimSegment known, SimRider rider) {
        long hash = 0;
        long appends = 0;
        for (SimAppend append : known.appends) {
            if (append.end() <= rider.inner.end) {
                hash = ModelRider.mix(hash, append.bytes());
                appends++;
            }
        }
        long notes = 0;
        for (long note : known.notes.subList(0, Math.min(rider.notes, known.notes.size()))) {
            notes = ModelRider.mix(notes, SimRider.note(note));
        }
        String which = "segment " + known.id;
        require(rider.inner.appends == appends && rider.inner.hash == hash, which + " was applied otherwise");
        int promised = mayLoseNotes ? 0 : known.promisedNotes;
        require(rider.notes >= promised && rider.notes <= known.notes.size(), which + " misses notes");
        require(rider.inner.notes == notes, which + " has other notes");
        boolean told = known.isStored() || rider.inner.durableLength == rider.inner.end;
        require(told, which + " was not told its length");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new Violation(RidersAreRebuilt.class, what);
        }
    }
}
