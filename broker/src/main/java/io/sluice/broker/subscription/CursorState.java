package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;

/** Acknowledged offsets of one subscription. Pure; the bound on its memory is the caller's. */
final class CursorState {
    private long ackedBelow;
    private AckedOffsets above = new AckedOffsets();

    /** @param ackedBelow everything before it is acknowledged, nothing else */
    public CursorState(long ackedBelow) {
        this.ackedBelow = ackedBelow;
    }

    /** See {@link Cursor#ackedBelow}. */
    public long ackedBelow() {
        return ackedBelow;
    }

    /** See {@link Cursor#nextUnacked}. */
    public long nextUnacked(long from) {
        return above.after(Math.max(from, ackedBelow));
    }

    /** See {@link Cursor#nextAckedAbove}. */
    public long nextAckedAbove(long from) {
        return above.next(Math.max(from, ackedBelow));
    }

    /** See {@link Cursor#afterUnacked}. */
    public long afterUnacked(long from, long count) {
        return above.nthAbsent(Math.max(from, ackedBelow), count);
    }

    /** See {@link Cursor#countAcked}. */
    public long countAcked(long from, long to) {
        long below = Math.clamp(ackedBelow - from, 0, to - from + 1);
        return below + (to < ackedBelow ? 0 : above.count(Math.max(from, ackedBelow), to));
    }

    /** See {@link Cursor#isAcked}. */
    public boolean isAcked(long offset) {
        return offset < ackedBelow || above.contains(offset);
    }

    /** See {@link Cursor#ackedAbove}. */
    public long ackedAbove() {
        return above.count();
    }

    /** See {@link Cursor#ackedRanges}. */
    public int ranges() {
        return above.ranges();
    }

    /** Memory that is taken by what was acknowledged out of order, about. */
    public long bytes() {
        return above.bytes();
    }

    /** Whether {@link #ack} would begin another range instead of making one longer. */
    public boolean addsRange(long from, long to) {
        return from > ackedBelow && !above.contains(from - 1) && !above.contains(to + 1) && above.count(from, to) == 0;
    }

    /** Acknowledges {@code [from, to]}. */
    public void ack(long from, long to) {
        if (to < ackedBelow) {
            return;
        }
        if (from <= ackedBelow) {
            ackUpTo(to);
        } else {
            above.add(from, to);
        }
    }

    /** Acknowledges everything up to and including {@code offset}. */
    public void ackUpTo(long offset) {
        if (offset >= ackedBelow) {
            ackedBelow = above.after(offset + 1);
            above.removeBelow(ackedBelow);
        }
    }

    /** Forgets everything and goes on at {@code offset}. */
    public void seek(long offset) {
        above.clear();
        ackedBelow = offset;
    }

    /** @param most bytes for what was acknowledged out of order; what does not fit is left out from the end */
    void write(ByteBuf out, int most) {
        Packed.writeUnsigned(out, ackedBelow);
        above.write(out, most);
    }

    static CursorState read(ByteBuf in) {
        CursorState state = new CursorState(Packed.readUnsigned(in));
        state.above = AckedOffsets.read(in);
        return state;
    }

    /** As the first version wrote it: ranges, one after the other. */
    static CursorState readRanges(ByteBuf in) {
        CursorState state = new CursorState(Packed.readUnsigned(in));
        OffsetRanges ranges = OffsetRanges.read(in, state.ackedBelow);
        for (int i = 0; i < ranges.size(); i++) {
            state.ack(ranges.from(i), ranges.to(i));
        }
        return state;
    }
}
