package io.sluice.broker.log.open;

import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.index.OffsetIndex.Point;
import io.sluice.broker.log.state.Extent;
import io.sluice.broker.log.state.Extents;
import io.sluice.broker.log.state.PartitionNote;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.store.segment.Durable;
import java.util.List;

/** Bytes and segments below a partition's start, here and in other containers, and their removal. Loop only. */
final class LeftBehind {
    private final PartitionStore store;
    private final PartitionState state;
    private final OtherContainers others;

    LeftBehind(PartitionStore store, PartitionState state, OtherContainers others) {
        this.store = store;
        this.state = state;
        this.others = others;
    }

    private Extents extents() {
        return state.offsets().extents();
    }

    /** Takes away again what lies below the start, up to the entry that begins at {@code at}. */
    void cutAgain(Point at) {
        cut(state.startOffset(), at, Durable.IGNORED);
    }

    /**
     * Moves the start up to {@code offset}, which is durable, or takes away again what lies below it.
     *
     * @param at begins at or below the offset, and stays
     */
    void cut(long offset, Point at, Durable done) {
        List<Extent> gone = extents().endingBefore(at.position());
        store.note(Durable.IGNORED, new PartitionNote.Start(offset, at.offset(), at.position()));
        removeElsewhere();
        gone.stream()
                .filter(store::isHere)
                .forEach(extent -> store.container().delete(extent.segment(), Durable.IGNORED));
        Extent first = extents().at(at.position());
        if (store.isHere(first)) {
            store.container()
                    .truncate(first.segment(), first.inSegment(Math.max(at.position(), first.position())), done);
        } else {
            store.container().barrier(done);
        }
    }

    /**
     * Removes what lies below the start in other containers, once no failure can take the start back: a note that is
     * acknowledged may not be synced. What fails is tried again at the next call.
     */
    void removeElsewhere() {
        boolean any =
                !extents().areInOneContainer() || !state.view().leftovers().isEmpty();
        if (store.closed() == null && any) {
            long start = state.offsets().startPosition();
            store.container().barrier(Durable.of(() -> removeElsewhere(start)));
        }
    }

    private void removeElsewhere(long start) {
        if (store.closed() != null) {
            return;
        }
        for (Extent extent : List.copyOf(extents().all())) {
            if (store.isHere(extent)) {
                continue;
            }
            long from = extent.inSegment(Math.max(start, extent.position()));
            if (extent.end() <= Math.max(start, extent.position())) { // nothing of it is left, or never was
                deleteElsewhere(new SegmentPlace(extent.container(), extent.segment()));
            } else if (from > 0) {
                others.truncate(extent, from);
            }
        }
        List.copyOf(extents().leftovers()).forEach(this::deleteElsewhere);
        List.copyOf(state.view().leftovers()).forEach(this::deleteElsewhere);
    }

    private void deleteElsewhere(SegmentPlace place) {
        others.delete(store.container(), place, () -> noteGone(place.segment()));
    }

    private void noteGone(long segment) {
        if (store.closed() == null) {
            store.note(Durable.IGNORED, new PartitionNote.SegmentGone(segment));
        }
    }
}
