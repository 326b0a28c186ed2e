package io.sluice.pulsar.dispatch;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.wire.AckSets;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a subscription that left the log and are not acknowledged, and what an acknowledgement does to them and to the
 * cursor. Entries need not be remembered here: what is not is looked up in the log when it is acknowledged. Loop only.
 */
final class Outstanding {
    /** Told when messages of a remembered entry were acknowledged; none are left if {@code d.unacked} is 0. */
    interface Settled {
        void settled(Delivered d, int messages);

        /** The same will follow, because a transaction has acknowledged all that was left of the entry. */
        void pending(Delivered d);

        /** An acknowledgement counts whose entry had to be looked for, turns after it came. */
        void acknowledgedLate();
    }

    private final PartitionLog log;
    private final Cursor cursor;
    private final Settled settled;
    private final FirstMessages firstMessages;
    private final TreeMap<Long, Delivered> byBase = new TreeMap<>();
    /** Above it nothing is acknowledged, so a batch need not be looked through. */
    private long ackedTop;

    Outstanding(PartitionLog log, Cursor cursor, Settled settled, FirstMessages firstMessages) {
        this.log = log;
        this.firstMessages = firstMessages;
        this.cursor = cursor;
        this.settled = settled;
        this.ackedTop = cursor.ackedAbove() == 0 && !hasPending() ? cursor.ackedBelow() : log.sequencedEnd();
    }

    private boolean hasPending() {
        return cursor.pendingTransactions() > 0;
    }

    PartitionLog log() {
        return log;
    }

    FirstMessages firstMessages() {
        return firstMessages;
    }

    Cursor cursor() {
        return cursor;
    }

    // ---- what is out

    void add(Delivered d) {
        byBase.put(d.base, d);
    }

    @Nullable
    Delivered startingAt(long base) {
        return byBase.get(base);
    }

    /** The entry that contains {@code offset}. */
    @Nullable
    Delivered holding(long offset) {
        Map.Entry<Long, Delivered> at = byBase.floorEntry(offset);
        return at != null && at.getValue().last() >= offset ? at.getValue() : null;
    }

    /** In log order. */
    Collection<Delivered> all() {
        return Collections.unmodifiableCollection(byBase.values());
    }

    int size() {
        return byBase.size();
    }

    void clear() {
        byBase.clear();
    }

    // ---- what is acknowledged

    /** Messages of the entry that are not acknowledged, in no transaction either. */
    int unackedOf(long base, int offsets) {
        if (base >= ackedTop || (cursor.ackedAbove() == 0 && base >= cursor.ackedBelow() && !hasPending())) {
            return offsets;
        }
        return offsets - (int) cursor.countTaken(base, base + offsets - 1);
    }

    /** Null if nothing of the entry is acknowledged. */
    long @Nullable [] ackSetOf(Delivered d) {
        return d.unacked == d.offsets ? null : AckSets.from(d.base, d.offsets, cursor::isTaken);
    }

    void ack(List<AckedEntry> entries, boolean cumulative, AckReceipt receipt) {
        for (AckedEntry e : entries) {
            if (isThere(e)) {
                ack(e, cumulative, receipt);
            }
        }
        receipt.complete();
    }

    private boolean isThere(AckedEntry e) {
        return e.offset() >= 0
                && e.offset() < log.readableEnd(Isolation.COMMITTED)
                && log.ledgerAt(e.offset()) == e.ledger();
    }

    private void ack(AckedEntry e, boolean cumulative, AckReceipt receipt) {
        Delivered known = meant(e);
        if (known != null) {
            ack(known.base, known.offsets, e.ackSet(), cumulative, receipt);
            return;
        }
        Search search = new Search(e, cumulative, receipt);
        EntryLocation.find(log, e.offset(), search);
        search.late = true;
    }

    /** An acknowledgement while its entry is looked for. */
    private final class Search implements EntryLocation {
        private final AckedEntry acked;
        private final boolean cumulative;
        private final AckReceipt receipt;
        private final Durable found;
        private boolean late;

        Search(AckedEntry acked, boolean cumulative, AckReceipt receipt) {
            this.acked = acked;
            this.cumulative = cumulative;
            this.receipt = receipt;
            this.found = receipt.one();
        }

        @Override
        public void entry(long base, int offsets) {
            ack(base, offsets, acked.ackSet(), cumulative, receipt);
            counted();
        }

        private void counted() {
            found.durable();
            if (late) {
                settled.acknowledgedLate();
            }
        }

        /** All of them count as acknowledged: no consumer gets them any more, and one that still has such a message may not say it again. */
        @Override
        public void compactedAway(long from, long to) {
            ack(from, (int) Math.min(Integer.MAX_VALUE, to - from), null, cumulative, receipt);
            counted();
        }

        @Override
        public void kafkaBatch(long base, int offsets) {
            if (acked.ackSet() == null) {
                firstMessages.find(base, offsets, this);
            } else {
                entry(base, offsets);
            }
        }

        @Override
        public void leftOfBatch(long offset, long base, int offsets) {
            boolean isBatch = isOfBatch(acked, base);
            entry(isBatch ? base : offset, isBatch ? offsets : 1);
        }

        @Override
        public void gone() {
            found.durable();
        }

        @Override
        public void failed(StoreFailure why) {
            found.failed(why);
        }
    }

    /**
     * The entry that an acknowledgement names; null where it is to be looked for. Single messages are acknowledged of batches only: if one
     * message is left there, the batch was handed out before it was compacted.
     */
    @Nullable
    Delivered meant(AckedEntry e) {
        Delivered known = holding(e.offset());
        return known != null && e.ackSet() != null && known.offsets == 1 ? null : known;
    }

    /**
     * Whether an acknowledgement is of a batch of which a part has gone since. Without single messages it may as well be of its first message
     * alone, and the others, which are handed out again, must not go with that.
     */
    static boolean isOfBatch(AckedEntry e, long base) {
        return e.ackSet() != null && e.offset() == base;
    }

    private void ack(long base, int offsets, long @Nullable [] ackSet, boolean cumulative, AckReceipt receipt) {
        ackedTop = Math.max(ackedTop, base + offsets);
        if (cumulative) {
            int first = ackSet == null ? -1 : AckSets.firstUnacked(ackSet);
            long upTo = first < 0 ? base + offsets - 1 : base + Math.min(first, offsets) - 1;
            cursor.ackUpTo(upTo, receipt.one());
            settleUpTo(upTo);
            return;
        }
        if (ackSet == null) {
            cursor.ack(base, base + offsets - 1, receipt.one());
        } else {
            AckSets.forEachAcked(ackSet, base, offsets, (from, to) -> cursor.ack(from, to, receipt.one()));
        }
        settleIn(base, offsets);
    }

    /** Messages of the entry are acknowledged in a transaction. */
    void pending(long base, int offsets) {
        ackedTop = Math.max(ackedTop, base + offsets);
        for (Delivered d : in(base, offsets)) {
            if (unackedOf(d.base, d.offsets) == 0) {
                settled.pending(d);
            }
            settle(d);
        }
    }

    /** Everything up to {@code offset} is acknowledged in a transaction. */
    void pendingUpTo(long offset) {
        ackedTop = Math.max(ackedTop, offset + 1);
        settleUpTo(offset);
    }

    /** Acknowledges an entry that no consumer can make anything of; false if there is no memory for that. */
    boolean pass(long base, int offsets) {
        ackedTop = Math.max(ackedTop, base + offsets);
        cursor.ack(base, base + offsets - 1, Durable.IGNORED);
        settleIn(base, offsets);
        return unackedOf(base, offsets) == 0;
    }

    /** There are no entries with the offsets {@code [from, to)}, also where there were when they were handed out. */
    void passMissing(long from, long to) {
        ackedTop = Math.max(ackedTop, to);
        cursor.ack(from, to - 1, Durable.IGNORED);
        Delivered before = holding(from);
        for (Delivered d : List.copyOf(byBase.subMap(from, to).values())) {
            settle(d);
        }
        if (before != null && before.base < from) {
            settle(before);
        }
    }

    /** It is to be read anew. */
    void forget(Delivered d) {
        byBase.remove(d.base, d);
    }

    /** The log begins at {@code start} now: what was before counts as acknowledged. */
    void passOver(long start) {
        cursor.ackUpTo(start - 1, Durable.IGNORED);
        ackedTop = Math.max(ackedTop, start);
        settleUpTo(start - 1);
    }

    /** Nothing from {@code offset} on is acknowledged any more, and everything before it is. */
    void seek(long offset, Durable done) {
        ackedTop = offset;
        cursor.seek(offset, done);
    }

    /** Entries that are out at these offsets: the one there, or what compaction has left of it. */
    private List<Delivered> in(long base, int offsets) {
        return List.copyOf(byBase.subMap(base, base + offsets).values());
    }

    private void settleIn(long base, int offsets) {
        Delivered d = byBase.get(base);
        if (d != null && d.offsets == offsets) {
            settle(d);
        } else if (!byBase.isEmpty()) {
            in(base, offsets).forEach(this::settle);
        }
    }

    private void settleUpTo(long offset) {
        for (Delivered d : List.copyOf(byBase.headMap(offset, true).values())) {
            settle(d);
        }
    }

    private void settle(Delivered d) {
        int left = unackedOf(d.base, d.offsets);
        int messages = d.unacked - left;
        d.unacked = left;
        if (left == 0) {
            byBase.remove(d.base);
        }
        if (messages > 0) {
            settled.settled(d, messages);
        }
    }
}
