package io.sluice.broker.log.state;

import io.sluice.broker.log.Isolation;

/**
 * The three ends of a partition, offsets one past the last of each kind, and the rule of each.
 *
 * <pre>
 *   readable(COMMITTED) ≤ readable(UNCOMMITTED) = durable ≤ sequenced
 * </pre>
 */
public final class PartitionEnds {
    private final PartitionState state;
    private final InFlight inFlight = new InFlight();
    private long durable;
    private long durablePosition;

    public PartitionEnds(PartitionState state) {
        this.state = state;
    }

    /** Sequenced end: the state is as of here. */
    public long sequenced() {
        return state.nextOffset();
    }

    /** Durable end: no failure takes anything below it back. */
    public long durable() {
        return durable;
    }

    /** Bytes below are durable. */
    public long durablePosition() {
        return durablePosition;
    }

    /** Readable end: readers see nothing that may be taken back. */
    public long readable(Isolation isolation) {
        return switch (isolation) {
            case UNCOMMITTED -> durable;
            case COMMITTED -> Math.max(state.startOffset(), Math.min(durable, state.undecidedFrom()));
        };
    }

    /** Whether all that is sequenced is durable. */
    public boolean isAllDurable() {
        return inFlight.isEmpty();
    }

    /** An append that ends at {@code position}, with the last offset before {@code end}, is in flight. */
    public void sequenced(long position, long end) {
        inFlight.add(position, end);
    }

    /** Bytes below {@code position} are durable; so what they decide is decided. True if an end may have moved. */
    public boolean durableTo(long position) {
        if (position <= durablePosition) {
            return false;
        }
        long end = inFlight.durableTo(position, durable);
        if (inFlight.isEmpty() && position >= state.endPosition()) {
            end = state.nextOffset();
        }
        durablePosition = position;
        state.durableTo(position);
        boolean moved = end > durable;
        durable = Math.max(durable, end);
        return moved;
    }
}
