package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;

/** Time of the log, by its notes. */
final class LogClock implements StatePart {
    static final byte TAG = 3;

    /** Time of the last note, milliseconds since the epoch; stands still between notes. */
    private long now;

    long now() {
        return now;
    }

    /**
     * Time of the next note. A machine may start with a wrong time, far ahead, and producers that the log forgets for it do
     * not come back; so the clock moves by no more than two grains, and follows a long silence at twice the pace of time.
     */
    long next(long machine, long grain) {
        return now == 0 ? machine : Math.min(machine, now + 2 * grain);
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public boolean isEmpty() {
        return now == 0;
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.Clock clock) {
            now = Math.max(now, clock.now());
        }
    }

    @Override
    public void snapshot(ByteBuf out) {
        Packed.writeSigned(out, now);
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        now = Packed.readSigned(in);
    }
}
