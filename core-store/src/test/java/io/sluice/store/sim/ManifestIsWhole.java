package io.sluice.store.sim;

import io.sluice.store.state.ContainerState;
import io.sluice.store.state.SegmentState;
import io.sluice.store.tier.InMemoryObjects;
import io.sluice.store.tier.TierRange;
import java.util.Objects;

/** From its start to its tiered length, every byte of a segment lies in one object, and the object exists. */
final class ManifestIsWhole implements Checker {
    private final InMemoryObjects objects;

    ManifestIsWhole(InMemoryObjects objects) {
        this.objects = objects;
    }

    @Override
    public void look(SimOwner owner) {
        ContainerState state = owner.state();
        for (long id : state.segments()) {
            SegmentState segment = Objects.requireNonNull(state.segment(id));
            long covered = segment.start();
            for (TierRange range : segment.manifest()) {
                require(range.position() <= covered && range.end() > covered, range + " does not continue " + covered);
                covered = range.end();
                byte[] object = objects.get(range.object());
                require(object != null && object.length >= range.offset() + range.length(), range + " has no object");
            }
            require(covered == segment.tieredLength(), "segment " + id + " is in the tier up to " + covered);
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new Violation(ManifestIsWhole.class, what);
        }
    }
}
