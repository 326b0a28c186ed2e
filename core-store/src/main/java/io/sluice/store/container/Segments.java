package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.collection.LongObjectHashMap;
import io.sluice.store.read.ReadIndex;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.BrokenInvariant;
import io.sluice.store.state.CheckpointCodec;
import io.sluice.store.state.ContainerState;
import io.sluice.store.state.LogOperation;
import io.sluice.store.state.SegmentState;
import io.sluice.store.tier.TierRange;
import io.sluice.store.wal.WalException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The container's state with all that hangs on it: riders, cache, log space. {@link #apply} carries an operation out on
 * all of them, in live traffic and in recovery alike.
 */
final class Segments {
    private final Riders riders;
    private final ReadIndex index;
    private final LogSpace space;
    private final LongObjectHashMap<OpenSegment> open = new LongObjectHashMap<>();
    private ContainerState state = new ContainerState();
    private final AcknowledgedEnds ends;
    private boolean leftOut;

    /** Where the bytes that are applied now lie. */
    private LogSpace.@Nullable Ledger ledger;

    /** Makes the rider of a segment of this container, see {@link io.sluice.store.segment.SegmentRiderFactory#create}. */
    interface Riders {
        SegmentRider create(SegmentInfo segment, ByteBuf attributes, @Nullable ByteBuf snapshot);
    }

    Segments(Riders riders, ReadIndex index, LogSpace space) {
        this(riders, index, space, AcknowledgedEnds.NONE);
    }

    /** @param ends told of segments that are deleted */
    Segments(Riders riders, ReadIndex index, LogSpace space, AcknowledgedEnds ends) {
        this.ends = ends;
        this.riders = riders;
        this.index = index;
        this.space = space;
    }

    ContainerState state() {
        return state;
    }

    @Nullable
    OpenSegment get(long segment) {
        return open.get(segment);
    }

    Iterable<OpenSegment> all() {
        return open.values();
    }

    int size() {
        return open.size();
    }

    void into(LogSpace.Ledger current) {
        ledger = current;
    }

    /** Starts from a checkpoint. */
    void restore(ByteBuf snapshot) throws WalException.Corrupt {
        state = CheckpointCodec.decode(
                snapshot, (segment, rider) -> add(segment, rider).spans.beginAt(segment.length()));
    }

    void checkpoint(ByteBuf out) {
        CheckpointCodec.encode(state, (segment, into) -> existing(segment).rider.snapshot(into), out);
    }

    private OpenSegment add(SegmentState segment, @Nullable ByteBuf snapshot) {
        SegmentInfo info = new SegmentInfo(
                segment.segment(),
                segment.kind(),
                segment.start(),
                segment.start(),
                segment.length(),
                segment.start(),
                segment.sealed());
        SegmentRider rider = create(info, Unpooled.wrappedBuffer(segment.attributes()), snapshot);
        OpenSegment added = new OpenSegment(segment, rider);
        open.put(segment.segment(), added);
        return added;
    }

    private SegmentRider create(SegmentInfo info, ByteBuf attributes, @Nullable ByteBuf snapshot) {
        try {
            return riders.create(info, attributes, snapshot);
        } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException stored) {
            throw new BrokenInvariant(info.segment(), stored);
        }
    }

    private OpenSegment existing(long segment) {
        OpenSegment found = open.get(segment);
        if (found == null) {
            throw new BrokenInvariant("operation on unknown segment " + segment);
        }
        return found;
    }

    /** Carries an operation out; a failure in here ends the term. */
    void apply(LogOperation operation) {
        if (!applyWhereRoom(operation)) {
            throw new BrokenInvariant("no room in the cache for an append that was let in");
        }
    }

    /** As {@link #apply}; but the bytes of an append for which the cache has no room are left to {@link CacheRefill}. */
    void replay(LogOperation operation) {
        try {
            leftOut |= !applyWhereRoom(operation);
        } catch (BrokenInvariant broken) {
            throw broken;
        } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException stored) {
            // what is stored does not change by trying again
            throw new BrokenInvariant("an operation cannot be replayed: " + stored.getMessage(), stored);
        }
    }

    /** The cache lacks bytes that were replayed; the tier may have them. */
    boolean leftOut() {
        return leftOut;
    }

    private boolean applyWhereRoom(LogOperation operation) {
        state.apply(operation);
        boolean cached = true;
        switch (operation) {
            case LogOperation.Append append -> cached = applied(append);
            case LogOperation.Note note ->
                existing(note.segment()).rider.applyNote(note.note().slice());
            case LogOperation.CreateSegment create ->
                add(Objects.requireNonNull(state.segment(create.segment())), null);
            case LogOperation.Truncate truncate -> index.truncate(truncate.segment(), truncate.position());
            case LogOperation.DeleteSegment delete -> applied(delete);
            case LogOperation.TierCommit commit -> applied(commit);
            case LogOperation.TierAppend append -> applied(append);
            case LogOperation.Seal seal -> existing(seal.segment()).rider.applySeal();
            case LogOperation.TierIntent _,
                    LogOperation.TierMerge _,
                    LogOperation.TierCollected _,
                    LogOperation.Checkpoint _ -> {}
        }
        return cached;
    }

    private boolean applied(LogOperation.Append append) {
        OpenSegment target = existing(append.segment());
        ByteBuf data = append.data();
        boolean cached = index.append(append.segment(), append.position(), data);
        space.appended(Objects.requireNonNull(ledger), target.spans, target.state.length());
        int reader = data.readerIndex();
        target.rider.applyAppend(append.position(), data);
        data.readerIndex(reader);
        return cached;
    }

    private void applied(LogOperation.DeleteSegment delete) {
        OpenSegment gone = existing(delete.segment());
        open.remove(delete.segment());
        index.drop(delete.segment());
        ends.deleted(delete.segment());
        gone.rider.closed(
                new StoreFailure.NoSuchSegment(delete.segment(), "segment " + delete.segment() + " was deleted"));
    }

    private void applied(LogOperation.TierCommit commit) {
        for (TierRange range : commit.ranges()) {
            SegmentState target = state.segment(range.segment());
            if (target != null) {
                index.tiered(range.segment(), target.tieredLength());
            }
        }
    }

    private void applied(LogOperation.TierAppend append) {
        OpenSegment grown = open.get(append.range().segment());
        if (grown != null) {
            space.skipped(grown.spans, grown.state.length());
        }
    }

    /** Gives back the log space of what {@code operation} has moved or removed; when it is durable. */
    void released(LogOperation operation, @Nullable OpenSegment target) {
        switch (operation) {
            case LogOperation.Truncate truncate
            when target != null -> space.released(target.spans, truncate.position());
            case LogOperation.DeleteSegment _ when target != null -> space.released(target.spans, Long.MAX_VALUE);
            case LogOperation.TierCommit commit ->
                commit.ranges().forEach(range -> {
                    OpenSegment holder = open.get(range.segment());
                    if (holder != null) {
                        space.released(holder.spans, range.end());
                    }
                });
            default -> {}
        }
    }

    /** Every byte that can be read must be in the tier or in the log that was replayed. */
    void checkRecovered() {
        for (OpenSegment each : open.values()) {
            if (each.state.tieredLength() < Math.min(each.spans.replayedFrom(), each.state.length())) {
                throw new BrokenInvariant("segment " + each.state.segment() + " misses bytes from "
                        + each.state.tieredLength() + " to " + each.spans.replayedFrom());
            }
        }
    }

    /** The term is over. */
    void close(StoreFailure why) {
        for (long id : state.segments()) {
            OpenSegment each = open.remove(id);
            if (each != null) {
                TermEnd.step("close the rider of segment " + id, () -> each.rider.closed(why));
            }
        }
        index.clear();
    }
}
