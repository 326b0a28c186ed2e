package io.sluice.broker.log;

import io.sluice.broker.log.OffsetIndex.Point;
import io.sluice.store.segment.Durable;
import java.util.List;

/** Bytes and segments below a partition's start, here and in other containers, and their removal. Loop only. */
final class LeftBehind {
    private final SegmentPartitionLog log;
    private final PartitionState state;
    private final OtherContainers others;

    LeftBehind(SegmentPartitionLog log, PartitionState state, OtherContainers others) {
        this.log = log;
        this.state = state;
        this.others = others;
    }

    /**
     * Moves the start up to {@code offset}, which is durable, or takes away again what lies below it.
     *
     * @param at begins at or below the offset, and stays
     */
    void cut(long offset, Point at, Durable done) {
        List<Extent> gone = log.extents().endingBefore(at.position());
        log.note(Durable.IGNORED, new PartitionNote.Start(offset, at.offset(), at.position()));
        removeElsewhere();
        gone.stream().filter(log::isHere).forEach(extent -> log.container().delete(extent.segment(), Durable.IGNORED));
        Extent first = log.extents().at(at.position());
        if (log.isHere(first)) {
            log.container().truncate(first.segment(), first.inSegment(Math.max(at.position(), first.position())), done);
        } else {
            log.container().barrier(done);
        }
    }

    /**
     * Removes what lies below the start in other containers, once no failure can take the start back: a note that is
     * acknowledged may not be synced. What fails is tried again at the next call.
     */
    void removeElsewhere() {
        boolean any =
                !log.extents().areInOneContainer() || !state.view().leftovers().isEmpty();
        if (log.closed() == null && any) {
            long start = state.offsets().startPosition();
            log.container().barrier(Durable.of(() -> removeElsewhere(start)));
        }
    }

    private void removeElsewhere(long start) {
        if (log.closed() != null) {
            return;
        }
        for (Extent extent : List.copyOf(log.extents().all())) {
            if (log.isHere(extent)) {
                continue;
            }
            long from = extent.inSegment(Math.max(start, extent.position()));
            if (extent.end() <= Math.max(start, extent.position())) { // nothing of it is left, or never was
                deleteElsewhere(new SegmentPlace(extent.container(), extent.segment()));
            } else if (from > 0) {
                others.truncate(extent, from);
            }
        }
        List.copyOf(log.extents().leftovers()).forEach(this::deleteElsewhere);
        List.copyOf(state.view().leftovers()).forEach(this::deleteElsewhere);
    }

    private void deleteElsewhere(SegmentPlace place) {
        others.delete(log.container(), place, () -> noteGone(place.segment()));
    }

    private void noteGone(long segment) {
        if (log.closed() == null) {
            log.note(Durable.IGNORED, new PartitionNote.SegmentGone(segment));
        }
    }
}
