package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A cursor whose acknowledgements are collected for a turn of the loop and go into the log as one note. */
final class DurableCursor extends NamedCursor implements ShareCursor {
    /**
     * Bytes of a checkpoint for what was acknowledged out of order: some sixteen million gaps among neighbours, a million
     * at worst. What is beyond is redelivered after a restart.
     */
    static final int MOST_CHECKPOINT_BYTES = 5 << 20;

    private final PartitionSubscriptions owner;
    private final long id;
    private final String stored;
    private final AckMemory.Share memory;
    /** Acknowledged above {@link CursorState#ackedBelow} since the last note. */
    private final OffsetRanges fresh = new OffsetRanges();

    /** Ranges of {@link #fresh} that the owner has counted. */
    private int countedFresh;

    private final PendingAcks pending;
    private final DeliveryCounts delivered = new DeliveryCounts();
    private @Nullable EndListener listener;
    private final List<EndWatch> watches = new ArrayList<>(0);
    /** By the note that was applied last; until the listener is told. */
    private PendingAcks.@Nullable Taken ended;

    private volatile @Nullable Supplier<List<SubscriptionReader>> readers;

    private boolean dirty;
    /** A deleted cursor may still be acknowledged by its holder, without effect. */
    private boolean deleted;

    /** @param stored name, which says whose it is; see {@link ShadowSubscription} */
    DurableCursor(
            PartitionSubscriptions owner, long id, String stored, CursorState state, Map<String, String> properties) {
        super(ShadowSubscription.shownName(stored), properties, state);
        this.owner = owner;
        this.id = id;
        this.stored = stored;
        this.pending = owner.newPending();
        this.memory = owner.memory().open();
        memory.resize(state.bytes());
    }

    long id() {
        return id;
    }

    String stored() {
        return stored;
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

    private void resize() {
        memory.resize(state.bytes() + pending.bytes());
    }

    private void changed(Durable done) {
        resize();
        fresh.removeBelow(state.ackedBelow());
        countFresh();
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

    @Override
    public void describe(Map<String, String> to, Durable done) {
        if (deleted) {
            owner.noteLater(null, done);
        } else {
            owner.describe(this, to, done);
        }
    }

    @Override
    public void setReaders(@Nullable Supplier<List<SubscriptionReader>> now) {
        readers = now;
    }

    @Override
    public List<SubscriptionReader> readers() {
        Supplier<List<SubscriptionReader>> now = readers;
        return now == null ? List.of() : now.get();
    }

    @Override
    public boolean isRead() {
        return readers != null;
    }

    void applyProperties(Map<String, String> to) {
        properties = to;
    }

    void delete() {
        deleted = true;
        memory.close();
    }

    /** The term is over. */
    void close() {
        memory.close();
    }

    private void countFresh() {
        owner.countFresh(fresh.size() - countedFresh);
        countedFresh = fresh.size();
    }

    /** Adds what is new to a note, and forgets that it was. */
    void writeFresh(ByteBuf note) {
        Packed.writeUnsigned(note, id);
        Packed.writeUnsigned(note, state.ackedBelow());
        fresh.write(note, 0);
        fresh.clear();
        countFresh();
        dirty = false;
    }

    /** The reverse of {@link #writeFresh}. */
    void applyFresh(ByteBuf note) {
        state.ackUpTo(Packed.readUnsigned(note) - 1);
        OffsetRanges ranges = OffsetRanges.read(note, 0);
        for (int i = 0; i < ranges.size(); i++) {
            state.ack(ranges.from(i), ranges.to(i));
        }
        resize();
    }

    /** Applies a seek. Pending acknowledgements of transactions are dropped, too: they must not take effect afterwards. */
    void applySeek(long offset) {
        state.seek(offset);
        pending.clear();
        delivered.clear();
        resize();
    }

    // ---- deliveries to a share group

    @Override
    public List<Delivered> delivered() {
        delivered.removeBelow(state.ackedBelow());
        return delivered.all();
    }

    @Override
    public void setDelivered(List<Delivered> ranges, Durable done) {
        if (deleted || ranges.isEmpty()) {
            owner.noteLater(null, done);
        } else {
            owner.noteDelivered(this, ranges, done);
        }
    }

    void applyDelivered(ByteBuf note) {
        delivered.removeBelow(state.ackedBelow());
        delivered.read(note);
    }

    boolean isWithoutDelivered() {
        delivered.removeBelow(state.ackedBelow());
        return delivered.isEmpty();
    }

    void snapshotDelivered(ByteBuf out) {
        DeliveryCounts.write(delivered(), out);
    }

    // ---- transactions

    @Override
    public long nextFree(long from) {
        long at = state.nextUnacked(from);
        for (long free = pending.after(at); free != at; free = pending.after(at)) {
            at = state.nextUnacked(free);
        }
        return at;
    }

    @Override
    public boolean isTaken(long offset) {
        return state.isAcked(offset) || pending.contains(offset);
    }

    @Override
    public long countTaken(long from, long to) {
        if (pending.isEmpty()) {
            return state.countAcked(from, to);
        }
        long behind = Math.max(from, pending.cumulativeTo() + 1);
        return behind > to
                ? to - from + 1
                : behind - from + state.countAcked(behind, to) + pending.countUnacked(behind, to, state);
    }

    @Override
    public int pendingTransactions() {
        return pending.transactions();
    }

    @Override
    public boolean hasPending(long transaction) {
        return pending.has(transaction);
    }

    @Override
    public long pendingUpTo(long transaction) {
        return pending.cumulativeIn() == transaction ? pending.cumulativeTo() : -1;
    }

    @Override
    public @Nullable String ackIn(TransactionalAck ack, Durable done) {
        if (deleted) {
            owner.noteLater(null, done);
            return null;
        }
        String conflict = ack.upTo() >= 0 ? conflictUpTo(ack) : conflict(ack);
        if (conflict != null) {
            return conflict;
        }
        if (memory.isFull()) {
            done.failed(new StoreFailure.Overloaded("there is no memory for what subscription " + name
                    + " acknowledges in transactions: end some, or acknowledge older messages"));
            return null;
        }
        owner.notePending(this, ack, done);
        if (ack.upTo() >= 0 && listener != null) {
            listener.pendingUpTo(ack.upTo());
        }
        return null;
    }

    private @Nullable String conflictUpTo(TransactionalAck ack) {
        if (ack.upTo() < state.ackedBelow()) {
            return "messages up to " + ack.upTo() + " are acknowledged";
        }
        boolean isBehind = pending.cumulativeIn() == ack.transaction() && ack.upTo() > pending.cumulativeTo();
        return pending.cumulativeIn() < 0 || isBehind
                ? null
                : "messages up to " + pending.cumulativeTo() + " are acknowledged in a transaction";
    }

    private @Nullable String conflict(TransactionalAck ack) {
        OffsetRanges asked = new OffsetRanges();
        long offsets = 0;
        long covered = 0;
        for (TransactionalAck.Range range : ack.ranges()) {
            long length = range.to() - range.from() + 1;
            long acked = state.countAcked(range.from(), range.to());
            if (range.whole() ? acked == length : acked > 0) {
                return "message " + range.from() + " is acknowledged";
            }
            if (pending.overlaps(range.from(), range.to())) {
                return "message " + range.from() + " is acknowledged in a transaction";
            }
            asked.add(range.from(), range.to());
            offsets += length;
        }
        for (int i = 0; i < asked.size(); i++) {
            covered += asked.to(i) - asked.from(i) + 1;
        }
        return covered == offsets ? null : "a message is named twice";
    }

    /** The reverse of {@link SubscriptionNotes#writePending}. */
    void applyPending(ByteBuf note) {
        long transaction = Packed.readUnsigned(note);
        long upTo = Packed.readUnsigned(note) - 1;
        if (upTo >= 0) {
            pending.addUpTo(transaction, upTo);
        }
        for (int n = Packed.readCount(note); n > 0; n--) {
            long from = Packed.readUnsigned(note);
            pending.add(transaction, from, from + Packed.readUnsigned(note));
        }
        resize();
    }

    @Override
    public void watch(EndWatch watch) {
        watches.add(watch);
    }

    @Override
    public void unwatch(EndWatch watch) {
        watches.remove(watch);
    }

    @Override
    public void endTransaction(long transaction, boolean commit, Durable done) {
        for (EndWatch watch : watches) {
            if (watch.transaction() == transaction) {
                watch.ended();
            }
        }
        if (deleted || !pending.has(transaction)) {
            owner.noteLater(null, done);
            return;
        }
        owner.noteEnd(this, transaction, commit, done);
        tell(commit);
    }

    /** Behind the note, which was applied: listeners may write notes, too. */
    private void tell(boolean commit) {
        PendingAcks.Taken taken = ended;
        EndListener told = listener;
        ended = null;
        if (taken == null || told == null) {
            return;
        }
        if (commit) {
            told.committed();
        } else {
            for (int i = 0; i < taken.ranges().size(); i++) {
                told.givenBack(taken.ranges().from(i), taken.ranges().to(i));
            }
            told.aborted(taken.first(state.ackedBelow()), taken.upTo());
        }
    }

    void applyEnd(long transaction, boolean commit) {
        PendingAcks.Taken taken = pending.take(transaction);
        if (commit) {
            state.ackUpTo(taken.upTo());
            for (int i = 0; i < taken.ranges().size(); i++) {
                state.ack(taken.ranges().from(i), taken.ranges().to(i));
            }
            fresh.removeBelow(state.ackedBelow());
            countFresh();
        }
        ended = taken;
        resize();
    }

    @Override
    public void listen(@Nullable EndListener to) {
        listener = to;
    }

    boolean isWithoutPending() {
        return pending.isEmpty();
    }

    void snapshotPending(ByteBuf out) {
        pending.write(out);
    }

    void restorePending(ByteBuf in) {
        pending.read(in);
        resize();
    }

    void snapshot(ByteBuf out) {
        Packed.writeUnsigned(out, id);
        Packed.writeString(out, stored);
        SubscriptionNotes.writeProperties(out, properties);
        state.write(out, MOST_CHECKPOINT_BYTES);
    }

    /** @param asRanges as the first version wrote it */
    static DurableCursor restore(PartitionSubscriptions owner, ByteBuf in, boolean asRanges) {
        long id = Packed.readUnsigned(in);
        String stored = Packed.readString(in);
        Map<String, String> properties = SubscriptionNotes.readProperties(in);
        CursorState state = asRanges ? CursorState.readRanges(in) : CursorState.read(in);
        return new DurableCursor(owner, id, stored, state, properties);
    }
}
