package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;

/** What one subscription has acknowledged. Pure; the bound on ranges is the caller's. */
final class CursorState {
    private long ackedBelow;
    private OffsetRanges above = new OffsetRanges();

    CursorState(long ackedBelow) {
        this.ackedBelow = ackedBelow;
    }

    long ackedBelow() {
        return ackedBelow;
    }

    boolean isAcked(long offset) {
        return offset < ackedBelow || above.contains(offset);
    }

    long nextUnacked(long from) {
        return above.after(Math.max(from, ackedBelow));
    }

    long nextAcked(long from) {
        return from < ackedBelow ? from : above.next(from);
    }

    long ackedAbove() {
        return above.count();
    }

    int ranges() {
        return above.size();
    }

    /** At most how many ranges there would be after {@link #ack}. */
    int rangesWith(long from, long to) {
        return from <= ackedBelow ? above.size() : above.sizeWith(from, to);
    }

    /** Acknowledges {@code [from, to]}. */
    void ack(long from, long to) {
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
    void ackUpTo(long offset) {
        if (offset >= ackedBelow) {
            ackedBelow = above.after(offset + 1);
            above.removeBelow(ackedBelow);
        }
    }

    void seek(long offset) {
        above.clear();
        ackedBelow = offset;
    }

    void write(ByteBuf out) {
        Packed.writeUnsigned(out, ackedBelow);
        above.write(out, ackedBelow);
    }

    static CursorState read(ByteBuf in) {
        CursorState state = new CursorState(Packed.readUnsigned(in));
        state.above = OffsetRanges.read(in, state.ackedBelow);
        return state;
    }
}
