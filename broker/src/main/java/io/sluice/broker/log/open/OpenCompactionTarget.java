package io.sluice.broker.log.open;

import io.sluice.broker.log.CompactionTarget;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.index.OffsetIndex.Point;
import io.sluice.broker.log.state.Extent;
import io.sluice.broker.log.state.Extents;
import io.sluice.broker.log.state.Offsets;
import io.sluice.broker.log.state.PartitionEnds;
import io.sluice.broker.log.state.PartitionNote;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compaction of a partition that is open here. */
final class OpenCompactionTarget implements CompactionTarget {
    private final PartitionStore store;
    private final PartitionState state;
    private final PartitionEnds ends;
    private final LogRetention retention;

    OpenCompactionTarget(PartitionStore store, PartitionState state, PartitionEnds ends, LogRetention retention) {
        this.store = store;
        this.state = state;
        this.ends = ends;
        this.retention = retention;
    }

    @Override
    public long compactedTo() {
        return state.compactedTo();
    }

    @Override
    public Boundary cleanableTo(long olderThan) {
        OffsetIndex index = state.index();
        int last = index.floorPosition(ends.durablePosition() - 1);
        if (last < 0) {
            return new Boundary(state.startOffset(), state.offsets().startPosition());
        }
        int decided = index.floorOffset(ends.readable(Isolation.COMMITTED));
        int old = index.firstReaching(olderThan, 0);
        int point = Math.max(0, Math.min(last, Math.min(decided, old)));
        return new Boundary(index.offset(point), index.position(point));
    }

    @Override
    public Boundary boundary(long offset) {
        Point point = state.index().atOrBelow(offset);
        return new Boundary(point.offset(), point.position());
    }

    @Override
    public long bytesBetween(long from, long to) {
        return to <= from
                ? 0
                : state.offsets().bytesBetween(from, state.index().atOrBelow(to).position());
    }

    @Override
    public long timeOf(long offset) {
        OffsetIndex index = state.index();
        return index.size() == 0 ? -1 : index.maxTimestamp(Math.max(0, index.floorOffset(offset)));
    }

    @Override
    public boolean has(long segment) {
        Extents extents = state.offsets().extents();
        return extents.has(segment)
                || extents.leftovers().stream().anyMatch(place -> place.segment() == segment)
                || state.view().places().stream().anyMatch(place -> place.segment() == segment);
    }

    @Override
    public boolean liesElsewhere() {
        return elsewhere().findAny().isPresent();
    }

    private Stream<Extent> elsewhere() {
        Offsets offsets = state.offsets();
        return offsets.extents().all().stream()
                .filter(extent -> !store.isHere(extent))
                .filter(extent -> extent.end() > Math.max(extent.position(), offsets.startPosition()));
    }

    @Override
    public @Nullable Boundary elsewhereTo() {
        long to = elsewhere()
                .mapToLong(Extent::end)
                .max()
                .orElseThrow(() -> new IllegalStateException("nothing lies elsewhere"));
        OffsetIndex index = state.index();
        int point = index.floorPosition(to - 1) + 1;
        if (point < index.size() && index.position(point) <= ends.durablePosition()) {
            return new Boundary(index.offset(point), index.position(point));
        }
        return ends.isAllDurable() ? new Boundary(state.nextOffset(), state.endPosition()) : null;
    }

    @Override
    public void replace(long companion, long length, CompanionIndex index, Boundary end, Durable done) {
        if (length > end.position()) {
            done.failed(new StoreFailure.OutOfRange(
                    companion, length, "what is left is larger than all that was appended before"));
        } else if (end.offset() <= state.startOffset()) {
            done.failed(new StoreFailure.OutOfRange(companion, length, "all of it was deleted meanwhile"));
        } else {
            put(companion, length, index, end, false, done);
        }
    }

    @Override
    public void gather(long companion, long length, CompanionIndex index, Boundary end, Durable done) {
        Offsets offsets = state.offsets();
        if (length != offsets.extents().bytesBetween(offsets.startPosition(), end.position())) {
            done.failed(new StoreFailure.OutOfRange(companion, length, "it is not what lies there"));
        } else {
            put(companion, length, index, end, true, done);
        }
    }

    private void put(long companion, long length, CompanionIndex index, Boundary end, boolean all, Durable done) {
        StoreFailure why = store.closed();
        SegmentContainer container = store.container();
        if (why != null) {
            done.failed(why);
            return;
        }
        List<Extent> before = List.copyOf(state.offsets().extents().all());
        store.note(
                Durable.IGNORED,
                new PartitionNote.Compacted(
                        container.id(), companion, length, end.offset(), end.position(), index.points(), all));
        for (Extent extent : before) {
            if (extent.container() == container.id() && extent.position() < end.position()) {
                letGo(container, extent, end.position());
            }
        }
        retention.removeElsewhere();
        if (!all) {
            cutWhatIsDeleted(index.points(), end.position() - length);
        }
        // Not the note: a log that defers the sync acknowledges what a failure can still take back.
        container.barrier(done);
    }

    /** The start may have moved up since the companion's entries were read, of which the index knows more than the note. */
    private void cutWhatIsDeleted(OffsetIndex index, long shift) {
        if (index.size() > 0) {
            Point first = index.atOrBelow(state.startOffset());
            if (first.position() > 0) {
                retention.cutAgain(new Point(first.offset(), first.position() + shift));
            }
        }
    }

    private static void letGo(SegmentContainer container, Extent extent, long position) {
        if (extent.end() <= position) {
            container.delete(extent.segment(), Durable.IGNORED);
        } else {
            container.truncate(extent.segment(), extent.inSegment(position), Durable.IGNORED);
        }
    }
}
