package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.state.ArrivingState;
import io.sluice.broker.log.state.Extent;
import io.sluice.broker.log.state.Extents;
import io.sluice.broker.log.state.PartitionNote;
import io.sluice.broker.log.state.PartitionSnapshot;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.broker.log.state.StatePart;
import io.sluice.broker.subscription.PartitionSubscriptions;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A partition as its segment's rider: hands each operation to the part that it concerns.
 *
 * <pre>
 *   first segment ──────────────────► open ── seal ─► leaving ─► left: bytes only
 *   made for a move ─► arriving ─► open
 * </pre>
 */
final class PartitionRider implements SegmentRider {
    private final SegmentContainer container;
    private final long segment;
    private final Supplier<OpenPartition> maker;
    private final OpenPartitions open;
    private final OpenPartitions.Leaving leaving;

    /** Null while it arrives and when it has left. */
    private @Nullable OpenPartition partition;

    /** Received part of a state that arrives; on the heap. */
    private @Nullable ByteBuf arriving;

    /** Components of an open partition. */
    record OpenPartition(
            PartitionState state,
            PartitionSubscriptions subscriptions,
            List<StatePart> parts,
            SegmentPartitionLog log) {
        static OpenPartition of(PartitionState state, PartitionSubscriptions subscriptions, SegmentPartitionLog log) {
            List<StatePart> parts = new ArrayList<>(state.parts());
            parts.add(new SubscriptionsPart(subscriptions));
            return new OpenPartition(state, subscriptions, parts, log);
        }

        void restore(ByteBuf snapshot) {
            PartitionSnapshot.read(snapshot, state, new SubscriptionsPart(subscriptions));
            state.restored();
        }

        Extent active() {
            return state.offsets().extents().active();
        }
    }

    /** @param maker makes a partition as new; at most one is asked for */
    PartitionRider(
            SegmentContainer container,
            long segment,
            PartitionAttributes attributes,
            Supplier<OpenPartition> maker,
            OpenPartitions open) {
        this.leaving =
                new OpenPartitions.Leaving(container.id(), segment, attributes.topicId(), attributes.partition());
        this.container = container;
        this.segment = segment;
        this.maker = maker;
        this.open = open;
    }

    /** Begins with a partition that is here, unless the segment is sealed: then it is about to leave. */
    void begin(@Nullable ByteBuf snapshot, boolean sealed) {
        OpenPartition here = maker.get();
        if (snapshot != null) {
            here.restore(snapshot);
        }
        partition = here;
        here.log().begin();
        if (sealed) {
            open.leaves(leaving);
            close(here, leaving());
        } else {
            open.opened(segment, here.log());
        }
    }

    /** Begins with a segment that waits for its partition. */
    void beginArriving(@Nullable ByteBuf soFar) {
        arriving = Unpooled.buffer();
        if (soFar != null) {
            arriving.writeBytes(soFar, soFar.readerIndex(), soFar.readableBytes());
        }
    }

    private StoreFailure leaving() {
        return new StoreFailure.NotOwner(container.id(), "the partition moves to another container");
    }

    private OpenPartition partition() {
        return Objects.requireNonNull(partition, "the partition is not in this segment");
    }

    /** Null while it is on its way. */
    @Nullable
    PartitionLog here() {
        return partition == null ? null : partition.log();
    }

    boolean isOpen() {
        return partition != null;
    }

    boolean hasLeft() {
        return partition == null && arriving == null;
    }

    // ---- operations

    @Override
    public void applyAppend(long position, ByteBuf data) {
        OpenPartition here = partition();
        here.state().applyAppend(here.active().inPartition(position), data);
    }

    @Override
    public void applyNote(ByteBuf note) {
        // The lender's reader index stays where it is.
        ByteBuf in = note.slice();
        byte type = in.readByte();
        if (type >= PartitionNote.FIRST_OF_SUBSCRIPTIONS) {
            partition().subscriptions().applyNote(type, in);
            return;
        }
        switch (PartitionNote.read(type, in)) {
            case PartitionNote.Arrival piece -> applyArrival(piece);
            case PartitionNote.Left l -> applyLeft();
            case PartitionNote.Start start -> applyStart(start);
            case PartitionNote of -> partition().state().applyNote(of);
        }
    }

    private void applyStart(PartitionNote.Start start) {
        partition().state().applyNote(start);
        partition().log().moved();
    }

    private void applyArrival(PartitionNote.Arrival piece) {
        ByteBuf soFar = arriving;
        if (soFar == null) {
            throw new IllegalStateException("a partition arrives in segment " + segment + ", which has one");
        }
        if (piece.first()) {
            soFar.clear();
        }
        soFar.writeBytes(piece.bytes());
        if (piece.last()) {
            arrived(ArrivingState.read(soFar));
        }
    }

    private void arrived(ArrivingState what) {
        arriving = null;
        OpenPartition here = maker.get();
        here.restore(what.state());
        here.state().offsets().relocate(segment);
        here.state().setAboveTerm(what.aboveTerm());
        partition = here;
        here.log().begin();
        here.log().durableTo(here.state().endPosition());
        open.opened(segment, here.log());
    }

    private void applyLeft() {
        OpenPartition gone = partition;
        partition = null;
        arriving = null;
        open.hasLeft(leaving);
        if (gone != null) {
            close(gone, leaving());
        }
    }

    @Override
    public void applySeal() {
        open.leaves(leaving);
        close(partition(), leaving());
    }

    @Override
    public void durable(long durableLength) {
        OpenPartition here = partition;
        if (here != null) {
            here.log().durableTo(here.active().inPartition(durableLength));
        }
    }

    @Override
    public void snapshot(ByteBuf out) {
        if (partition != null) {
            PartitionSnapshot.write(partition.parts(), out);
        } else if (arriving != null) {
            PartitionSnapshot.writeArriving(arriving, out);
        } else {
            PartitionSnapshot.writeLeft(out);
        }
    }

    // ---- leaving

    /** Acknowledgements of this turn go into the log before the seal. */
    void flush() {
        partition().subscriptions().flush();
    }

    /** Writes the state for another container. Gives the last leader epoch. */
    int writeLeaving(ByteBuf out) {
        OpenPartition here = partition();
        here.state().offsets().leave();
        PartitionSnapshot.write(here.parts(), out);
        return here.log().leaderEpoch();
    }

    int aboveTerm() {
        return partition().state().aboveTerm();
    }

    List<SegmentPlace> earlier() {
        PartitionState state = partition().state();
        Extents extents = state.offsets().extents();
        Stream<SegmentPlace> read = extents.all().stream()
                .filter(extent -> !extent.isActive())
                .map(extent -> new SegmentPlace(extent.container(), extent.segment()));
        Stream<SegmentPlace> other = Stream.concat(extents.leftovers().stream(), state.view().places().stream());
        return Stream.concat(read, other).distinct().toList();
    }

    @Override
    public void closed(StoreFailure why) {
        open.hasLeft(leaving);
        if (partition != null) {
            close(partition, why);
        }
    }

    private void close(OpenPartition here, StoreFailure why) {
        open.closed(segment, here.log());
        here.subscriptions().closed(why);
        here.log().closed(why);
    }
}
