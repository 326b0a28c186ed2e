package io.sluice.pulsar.dispatch;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.TransactionalAck;
import io.sluice.broker.subscription.TransactionalAck.Range;
import io.sluice.pulsar.wire.AckSets;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * One request of acknowledgements in a transaction: finds the entries it names, asks whether the transaction goes on, and has all of
 * them made pending in one turn. Loop only.
 */
public final class TransactionalAcks implements Durable {
    /** Client that asks, and its answer: of {@link #done} and {@link #refused} one is called, once. */
    public interface Reply {
        /** Name of the client; requests of one user in a transaction share a question to its coordinator. Null if it may use all transactions. */
        @Nullable
        String user();

        /** Whether the coordinator has said before that the client may use the transaction, or need not be asked that. Loop only. */
        boolean isVerified();

        /** The coordinator has said so. Loop only. */
        void verified();

        /**
         * Asks whether the transaction goes on and has this subscription, and the client may use it.
         *
         * @param answer null if it does, else what the client is told; called once, at once or later, on any thread
         */
        void verify(Consumer<@Nullable Refusal> answer);

        /** @param why null if all of it is durable */
        void done(@Nullable StoreFailure why);

        void refused(Refusal why);
    }

    /** Error answer to the client. */
    public record Refusal(ServerError error, String message) {}

    /** Ranges of one command: they are written as one note, which has 1 MiB at most. */
    private static final int MOST_RANGES = 50_000;

    private final PartitionLog log;
    private final Cursor cursor;
    private final long transaction;
    private final boolean cumulative;
    private final boolean repeats;
    private final Iterator<AckedEntry> left;
    private final Reply reply;
    private final Outstanding outstanding;
    private final AckVerifications verifications;
    private final List<Place> places = new ArrayList<>();
    private boolean searching;
    /** The entry that was looked for last. */
    private boolean found;

    private record Place(long base, int offsets, long @Nullable [] ackSet) {
        long last() {
            return base + offsets - 1;
        }
    }

    /** @param repeats whether what is acknowledged up to a message may be so already, without a conflict */
    TransactionalAcks(
            Outstanding outstanding,
            AckVerifications verifications,
            long transaction,
            List<AckedEntry> entries,
            boolean cumulative,
            boolean repeats,
            Reply reply) {
        this.log = outstanding.log();
        this.cursor = outstanding.cursor();
        this.transaction = transaction;
        this.cumulative = cumulative;
        this.repeats = repeats;
        this.left = entries.iterator();
        this.reply = reply;
        this.outstanding = outstanding;
        this.verifications = verifications;
    }

    /** Goes on with the next entry. Answers that come at once do not deepen the stack: a command may name any number of entries. */
    void start() {
        if (searching) {
            return;
        }
        searching = true;
        boolean foundAll = search();
        searching = false;
        if (foundAll) {
            apply();
        }
    }

    /** False if an answer is still to come, or the request was answered. */
    private boolean search() {
        while (left.hasNext()) {
            AckedEntry e = left.next();
            if (!isThere(e)) {
                continue;
            }
            Delivered known = outstanding.meant(e);
            if (known != null) {
                places.add(new Place(known.base, known.offsets, e.ackSet()));
                continue;
            }
            found = false;
            look(e);
            if (!found) {
                return false;
            }
        }
        return true;
    }

    /** Whether the entry exists; others are ignored, as without a transaction. */
    private boolean isThere(AckedEntry e) {
        return e.offset() >= 0
                && e.offset() < log.readableEnd(Isolation.COMMITTED)
                && log.ledgerAt(e.offset()) == e.ledger();
    }

    private void look(AckedEntry e) {
        EntryLocation.find(log, e.offset(), new EntryLocation() {
            @Override
            public void entry(long base, int offsets) {
                places.add(new Place(base, offsets, e.ackSet()));
                found = true;
                start();
            }

            @Override
            public void kafkaBatch(long base, int offsets) {
                if (e.ackSet() == null) {
                    outstanding.firstMessages().find(base, offsets, this);
                } else {
                    entry(base, offsets);
                }
            }

            @Override
            public void leftOfBatch(long offset, long base, int offsets) {
                boolean isBatch = Outstanding.isOfBatch(e, base);
                entry(isBatch ? base : offset, isBatch ? offsets : 1);
            }

            @Override
            public void gone() {
                conflict("message " + e.offset() + " is not there any more");
            }

            @Override
            public void failed(StoreFailure why) {
                reply.done(why);
            }
        });
    }

    private void conflict(String why) {
        reply.refused(new Refusal(ServerError.TransactionConflict, "subscription " + cursor.name() + ": " + why));
    }

    /** All entries are found. */
    void apply() {
        if (places.isEmpty()) {
            reply.done(null);
        } else if (cursor.hasPending(transaction) && reply.isVerified()) {
            makePending();
        } else {
            verifications.ask(this);
        }
    }

    long transaction() {
        return transaction;
    }

    Reply reply() {
        return reply;
    }

    /** In this turn: the transaction goes on. */
    void makePending() {
        if (cumulative) {
            applyUpTo(places.getLast());
        } else {
            applyEach();
        }
    }

    private void applyUpTo(Place place) {
        int first = place.ackSet == null ? -1 : AckSets.firstUnacked(place.ackSet);
        long upTo = first < 0 ? place.last() : place.base + Math.min(first, place.offsets) - 1;
        if (upTo < cursor.ackedBelow() && place.last() >= cursor.ackedBelow()) {
            // Of this batch nothing new is acknowledged.
            reply.done(null);
            return;
        }
        if (repeats && (upTo < cursor.ackedBelow() || upTo <= cursor.pendingUpTo(transaction))) {
            // An acknowledgement without a transaction counts at once, and could be lost still.
            log.container().barrier(this);
            return;
        }
        String conflict = cursor.ackIn(TransactionalAck.upTo(transaction, upTo), this);
        if (conflict != null) {
            conflict(conflict);
        }
    }

    private void applyEach() {
        List<Range> ranges = new ArrayList<>();
        for (Place place : places) {
            if (place.ackSet == null) {
                ranges.add(new Range(place.base, place.last(), true));
            } else {
                AckSets.forEachAcked(
                        place.ackSet, place.base, place.offsets, (from, to) -> ranges.add(new Range(from, to, false)));
            }
            if (ranges.size() > MOST_RANGES) {
                reply.refused(new Refusal(
                        ServerError.NotAllowedError,
                        "more than " + MOST_RANGES + " ranges of messages are acknowledged at once in a transaction"));
                return;
            }
        }
        String conflict = ranges.isEmpty() ? null : cursor.ackIn(TransactionalAck.of(transaction, ranges), this);
        if (conflict != null) {
            conflict(conflict);
            return;
        }
        places.forEach(place -> outstanding.pending(place.base, place.offsets));
        if (ranges.isEmpty()) {
            reply.done(null);
        }
    }

    @Override
    public void durable() {
        reply.done(null);
    }

    @Override
    public void failed(StoreFailure why) {
        reply.done(why);
    }
}
