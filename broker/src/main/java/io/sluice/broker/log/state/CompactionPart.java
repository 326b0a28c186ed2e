package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;

/** How far the partition was compacted. */
final class CompactionPart implements StatePart {
    static final byte TAG = 9;

    private long to;

    long to() {
        return to;
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public boolean isEmpty() {
        return to == 0;
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.Compacted compacted && !compacted.all()) {
            to = compacted.offset();
        }
    }

    @Override
    public void snapshot(ByteBuf out) {
        Packed.writeUnsigned(out, to);
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        to = Packed.readUnsigned(in);
    }
}
