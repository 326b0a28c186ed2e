package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;

/** Epoch of the last exclusive writer. */
final class ExclusiveWriter implements StatePart {
    static final byte TAG = 6;

    /** The largest epoch of an exclusive writer; -1 before the first. */
    private long epoch = -1;

    long epoch() {
        return epoch;
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public boolean isEmpty() {
        return epoch < 0;
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.ExclusiveEpoch raised) {
            epoch = Math.max(epoch, raised.epoch());
        }
    }

    @Override
    public void snapshot(ByteBuf out) {
        Packed.writeSigned(out, epoch);
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        epoch = Packed.readSigned(in);
    }
}
