package io.sluice.broker.log.open;

import io.sluice.broker.log.PartitionRetention;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.index.OffsetIndex.Point;
import io.sluice.broker.log.state.Extent;
import io.sluice.broker.log.state.Extents;
import io.sluice.broker.log.state.PartitionEnds;
import io.sluice.broker.log.state.PartitionNote;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.List;

/** Start of a partition that is open here, and the removal of what lies below it, here and in other containers. */
final class LogRetention implements PartitionRetention {
    private final PartitionStore store;
    private final PartitionState state;
    private final PartitionEnds ends;
    private final RemoteExtents remote;

    LogRetention(PartitionStore store, PartitionState state, PartitionEnds ends, RemoteExtents remote) {
        this.store = store;
        this.state = state;
        this.ends = ends;
        this.remote = remote;
    }

    @Override
    public long firstKept(long olderThan, long bytes) {
        OffsetIndex index = state.index();
        int byAge = index.firstYoungerThan(olderThan);
        long cut = byAge == index.size() ? state.nextOffset() : index.offset(byAge);
        int bySize = bytes >= sizeBytes()
                ? -1
                : index.floorPosition(extents().positionBefore(ends.durablePosition(), bytes));
        if (bySize >= 0) {
            cut = Math.max(cut, index.offset(bySize));
        }
        return Math.clamp(cut, state.startOffset(), ends.durable());
    }

    /** Stored bytes between start and durable end. */
    long sizeBytes() {
        return extents().bytesBetween(state.offsets().startPosition(), ends.durablePosition());
    }

    @Override
    public void deleteBefore(long offset, Durable done) {
        if (offset > ends.durable()) {
            throw new IllegalArgumentException("offset " + offset + " is past the end " + ends.durable());
        }
        StoreFailure closed = store.closed();
        if (closed != null) {
            done.failed(closed);
        } else if (offset <= state.startOffset()) {
            store.container().barrier(done);
        } else {
            cut(offset, state.cutFor(offset), done);
        }
    }

    private Extents extents() {
        return state.offsets().extents();
    }

    /** Removes again what lies below the start, up to the entry that begins at {@code at}. */
    void cutAgain(Point at) {
        cut(state.startOffset(), at, Durable.IGNORED);
    }

    /**
     * Moves the start up to {@code offset}, which is durable, or removes again what lies below it.
     *
     * @param at begins at or below the offset, and stays
     */
    private void cut(long offset, Point at, Durable done) {
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
    @Override
    public void removeElsewhere() {
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
                remote.truncate(extent, from);
            }
        }
        List.copyOf(extents().leftovers()).forEach(this::deleteElsewhere);
        List.copyOf(state.view().leftovers()).forEach(this::deleteElsewhere);
    }

    private void deleteElsewhere(SegmentPlace place) {
        remote.delete(store.container(), place, () -> noteGone(place.segment()));
    }

    private void noteGone(long segment) {
        if (store.closed() == null) {
            store.note(Durable.IGNORED, new PartitionNote.SegmentGone(segment));
        }
    }
}
