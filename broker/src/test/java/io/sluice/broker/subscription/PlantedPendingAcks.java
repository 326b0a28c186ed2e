package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;

/** Acknowledgements in transactions with a mistake. */
final class PlantedPendingAcks extends PendingAcks {
    private final PendingAckBug bug;

    PlantedPendingAcks(PendingAckBug bug) {
        this.bug = bug;
    }

    @Override
    Taken take(long transaction) {
        Taken taken = super.take(transaction);
        return bug == PendingAckBug.COMMIT_FORGETS_THE_CUMULATIVE_ONE ? new Taken(taken.ranges(), -1) : taken;
    }

    @Override
    boolean overlaps(long from, long to) {
        return bug != PendingAckBug.OVERLAP_IS_NOT_SEEN && super.overlaps(from, to);
    }

    @Override
    void write(ByteBuf out) {
        if (bug == PendingAckBug.CHECKPOINT_FORGETS) {
            new PendingAcks().write(out);
        } else {
            super.write(out);
        }
    }

    @Override
    void clear() {
        if (bug != PendingAckBug.SEEK_KEEPS) {
            super.clear();
        }
    }

    @Override
    long after(long from) {
        return bug == PendingAckBug.IS_SENT ? from : super.after(from);
    }
}
