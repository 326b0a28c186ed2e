package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.state.ArrivingState;
import io.sluice.broker.log.state.PartitionNote;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.function.Consumer;

/**
 * A partition passes from one container to another. Its bytes stay where they are; a new segment goes on with its state.
 *
 * <pre>
 *   from                                    to
 *   leave: seal ─► durable ─► state ──────► arrive: notes of 512 KiB ─► durable ─► the partition is open here
 *   left: forget the state  ◄────────────── (when whoever looks it up finds the new place)
 * </pre>
 *
 * <p>Loop only, each method on the loop of the container it is given. Every step may be repeated after a crash.
 */
public final class Handover {
    private static final int PIECE = 512 << 10;

    private Handover() {}

    /**
     * All that was appended is durable, and nothing more will be.
     *
     * @param epoch the highest leader epoch that wrote
     * @param bytes for {@link #arrive}; on the heap, the caller's
     */
    public record State(int epoch, ByteBuf bytes) {}

    /** Whether {@link #leave} has begun: then the partition can only go on elsewhere. */
    public static boolean isLeaving(SegmentContainer from, long segment) {
        SegmentInfo info = from.info(segment);
        return info != null && info.sealed();
    }

    /**
     * Ends the partition here: clients are told to look it up again, which they do until it has arrived.
     *
     * @param ready or {@code failed} is told once, on the loop
     * @throws IllegalStateException the segment holds no partition, or it has left already
     */
    public static void leave(
            SegmentContainer from, long segment, Consumer<State> ready, Consumer<StoreFailure> failed) {
        PartitionRider rider = rider(from, segment);
        Durable then = Durable.of(
                () -> {
                    ByteBuf state = Unpooled.buffer();
                    ready.accept(new State(rider.writeLeaving(state), state));
                },
                failed);
        if (isLeaving(from, segment)) {
            from.barrier(then);
        } else {
            rider.flush();
            from.seal(segment, then);
        }
    }

    /** Size of the state that {@link #leave} would give now; nothing is changed. */
    public static long stateBytes(SegmentContainer from, long segment) {
        ByteBuf state = Unpooled.buffer();
        rider(from, segment).snapshot(state);
        return state.readableBytes();
    }

    /**
     * Tells when what has arrived is safe from every failure, and so the place it left may forget it: a log that defers the
     * sync acknowledges notes before they are.
     */
    public static void arrived(SegmentContainer to, Durable done) {
        to.barrier(done);
    }

    public static boolean hasArrived(SegmentContainer to, long segment) {
        return to.info(segment) != null && rider(to, segment).isOpen();
    }

    /**
     * Lets the partition go on in {@code segment}, which is new and was made for it. Anew if a try before was cut short.
     *
     * @param fromContainer where the state was written
     * @param epoch what {@link #leave} said; the epoch here is above it
     * @param state read to its end
     */
    public static void arrive(
            SegmentContainer to, long segment, int fromContainer, int epoch, ByteBuf state, Durable done) {
        int aboveTerm = Math.toIntExact(Math.max(0, epoch + 1 - to.term()));
        ByteBuf all = new ArrivingState(fromContainer, aboveTerm, state).write();
        boolean first = true;
        while (all.isReadable()) {
            ByteBuf piece = all.readSlice(Math.min(PIECE, all.readableBytes()));
            ByteBuf note = Unpooled.buffer(piece.readableBytes() + 2);
            new PartitionNote.Arrival(first, !all.isReadable(), piece).write(note);
            to.note(segment, note, Durable.IGNORED);
            first = false;
        }
        arrived(to, done);
    }

    /**
     * A partition that has arrived.
     *
     * @param earlier where its bytes lie, but for the segment that is appended to
     * @param aboveTerm difference between its leader epochs and the terms of its container
     */
    public record Arrived(List<SegmentPlace> earlier, int aboveTerm) {
        public Arrived {
            earlier = List.copyOf(earlier);
        }
    }

    /** Facts of a partition that {@link #hasArrived}, for its topic's record. */
    public static Arrived arrival(SegmentContainer to, long segment) {
        PartitionRider rider = rider(to, segment);
        return new Arrived(rider.earlier(), rider.aboveTerm());
    }

    /** Forgets the state of a partition that goes on elsewhere; its bytes stay. What compaction has made never had one. */
    public static void left(SegmentContainer from, long segment, Durable done) {
        boolean hasState = from.info(segment) != null
                && from.rider(segment) instanceof PartitionRider partition
                && !partition.hasLeft();
        if (!hasState) {
            from.barrier(done);
            return;
        }
        ByteBuf note = Unpooled.buffer(1);
        new PartitionNote.Left().write(note);
        from.note(segment, note, done);
    }

    private static PartitionRider rider(SegmentContainer container, long segment) {
        SegmentRider rider = container.rider(segment);
        if (rider instanceof PartitionRider partition) {
            return partition;
        }
        throw new IllegalStateException("segment " + segment + " holds no partition");
    }
}
