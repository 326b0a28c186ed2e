package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.Map;

/** A cursor whose acknowledgements are collected for a turn of the loop and go into the log as one note. */
final class DurableCursor implements Cursor {
    /**
     * Bytes of a checkpoint for what was acknowledged out of order: some sixteen million gaps among neighbours, a million
     * at worst. What is beyond is redelivered after a restart.
     */
    static final int MOST_CHECKPOINT_BYTES = 5 << 20;

    private final PartitionSubscriptions owner;
    private final long id;
    private final String name;
    private final Map<String, String> properties;
    private final CursorState state;
    private final AckMemory.Share memory;
    /** Acknowledged above {@link CursorState#ackedBelow} since the last note. */
    private final OffsetRanges fresh = new OffsetRanges();

    private boolean dirty;
    /** Whoever still holds a deleted cursor may acknowledge: nobody will ask. */
    private boolean deleted;

    DurableCursor(
            PartitionSubscriptions owner, long id, String name, CursorState state, Map<String, String> properties) {
        this.owner = owner;
        this.id = id;
        this.name = name;
        this.state = state;
        this.properties = properties;
        this.memory = owner.memory().open();
        memory.resize(state.bytes());
    }

    long id() {
        return id;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Map<String, String> properties() {
        return properties;
    }

    @Override
    public long ackedBelow() {
        return state.ackedBelow();
    }

    @Override
    public boolean isAcked(long offset) {
        return state.isAcked(offset);
    }

    @Override
    public long nextUnacked(long from) {
        return state.nextUnacked(from);
    }

    @Override
    public long afterUnacked(long from, long count) {
        return state.afterUnacked(from, count);
    }

    @Override
    public long countAcked(long from, long to) {
        return state.countAcked(from, to);
    }

    @Override
    public long ackedAbove() {
        return state.ackedAbove();
    }

    @Override
    public int ackedRanges() {
        return state.ranges();
    }

    @Override
    public void ack(long from, long to, Durable done) {
        long last = Math.min(to, owner.sequencedEnd() - 1);
        if (deleted || from < 0 || from > last) {
            owner.noteLater(null, done);
            return;
        }
        if (memory.isFull() && state.addsRange(from, last)) {
            done.failed(new StoreFailure.Overloaded("there is no memory for another gap in what subscription " + name
                    + " has acknowledged: acknowledge older messages"));
            return;
        }
        state.ack(from, last);
        if (last >= state.ackedBelow()) {
            fresh.add(Math.max(from, state.ackedBelow()), last);
        }
        changed(done);
    }

    @Override
    public void ackUpTo(long offset, Durable done) {
        if (deleted) {
            owner.noteLater(null, done);
            return;
        }
        state.ackUpTo(Math.min(offset, owner.sequencedEnd() - 1));
        changed(done);
    }

    private void changed(Durable done) {
        memory.resize(state.bytes());
        fresh.removeBelow(state.ackedBelow());
        boolean wasDirty = dirty;
        dirty = true;
        owner.noteLater(wasDirty ? null : this, done); // which may write the note, and then nothing is new any more
    }

    @Override
    public void seek(long offset, Durable done) {
        if (deleted) {
            owner.noteLater(null, done);
        } else {
            owner.seek(this, Math.clamp(offset, 0, owner.sequencedEnd()), done);
        }
    }

    void delete() {
        deleted = true;
        memory.close();
    }

    /** The term is over. */
    void close() {
        memory.close();
    }

    int freshRanges() {
        return fresh.size();
    }

    /** Adds what is new to a note, and forgets that it was. */
    void writeFresh(ByteBuf note) {
        Packed.writeUnsigned(note, id);
        Packed.writeUnsigned(note, state.ackedBelow());
        fresh.write(note, 0);
        fresh.clear();
        dirty = false;
    }

    /** The reverse of {@link #writeFresh}. */
    void applyFresh(ByteBuf note) {
        state.ackUpTo(Packed.readUnsigned(note) - 1);
        OffsetRanges ranges = OffsetRanges.read(note, 0);
        for (int i = 0; i < ranges.size(); i++) {
            state.ack(ranges.from(i), ranges.to(i));
        }
        memory.resize(state.bytes());
    }

    void applySeek(long offset) {
        state.seek(offset);
        memory.resize(state.bytes());
    }

    void snapshot(ByteBuf out) {
        Packed.writeUnsigned(out, id);
        Packed.writeString(out, name);
        SubscriptionNotes.writeProperties(out, properties);
        state.write(out, MOST_CHECKPOINT_BYTES);
    }

    /** @param asRanges as the first version wrote it */
    static DurableCursor restore(PartitionSubscriptions owner, ByteBuf in, boolean asRanges) {
        long id = Packed.readUnsigned(in);
        String name = Packed.readString(in);
        Map<String, String> properties = SubscriptionNotes.readProperties(in);
        CursorState state = asRanges ? CursorState.readRanges(in) : CursorState.read(in);
        return new DurableCursor(owner, id, name, state, properties);
    }
}
