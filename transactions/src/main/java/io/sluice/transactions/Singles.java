package io.sluice.transactions;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Differences of {@linkplain SingleTransaction single transactions} in a shard: they begin without a partition, the request that ends
 * one is answered when it is carried out, and a while later its id is forgotten. Until then the call to end it may be repeated.
 */
final class Singles {
    /** How long a transaction that has ended is remembered: as long as clients wait for an answer, and again. */
    private static final long REMEMBERED_MILLIS = 60_000;

    private final ShardTerm term;
    private final TransactionalIds ids;
    private final TransactionRoom room;
    private final Execution execution;

    private final Deque<Ended> ended = new ArrayDeque<>();

    private record Ended(TransactionalId id, long at) {}

    Singles(ShardTerm term, TransactionalIds ids, TransactionRoom room, Execution execution) {
        this.term = term;
        this.ids = ids;
        this.room = room;
        this.execution = execution;
    }

    /**
     * The transaction is open when this is answered.
     *
     * @param owner null if it is for all
     */
    void begin(SingleTransaction transaction, int timeoutMillis, @Nullable String owner, CallAnswer answer) {
        TransactionalId made = TransactionalId.single(transaction, timeoutMillis, owner, term.now());
        TransactionError refused = add(made);
        if (refused != null) {
            answer.refused(refused);
        } else {
            execution.execute(made, made.open(term.now()), answer);
        }
    }

    /** Adds a new id. Null, or why not. */
    private @Nullable TransactionError add(TransactionalId made) {
        if (term.isOver()) {
            return TransactionError.NOT_COORDINATOR;
        }
        if (!room.forSingle()) {
            return TransactionError.TOO_MANY_IDS;
        }
        return ids.putIfAbsent(made) == null ? null : TransactionError.CONCURRENT;
    }

    /** Answered when the outcome is carried out. */
    void end(TransactionalId id, EndRequest ending) {
        if (term.isOver()) {
            ending.answer().refused(TransactionError.NOT_COORDINATOR);
            return;
        }
        Decision decision = id.endSingle(ending, term.now());
        execution.execute(id, decision, decision instanceof Decision.Reply ? ending.answer() : new KeptEndings(id));
    }

    /** Calls that the id keeps: told why its outcome cannot be written; when it is, they wait until it is carried out. */
    private record KeptEndings(TransactionalId id) implements CallAnswer {
        @Override
        public void done(ProducerIdentity producer) {}

        @Override
        public void refused(TransactionError why) {
            id.takeEndings().forEach(each -> each.answer().refused(why));
        }
    }

    /** A change of the id was made: those that wait for its end look again. */
    void settled(TransactionalId id) {
        List<EndRequest> waiting = id.takeEndings();
        waiting.forEach(each -> end(id, each));
    }

    /** It was open for too long. */
    void abort(TransactionalId id) {
        end(id, new EndRequest(false, CallAnswer.IGNORED));
    }

    /** Number of ended transactions that are remembered. */
    synchronized int remembered() {
        return ended.size();
    }

    synchronized void completed(TransactionalId id) {
        ended.add(new Ended(id, term.now()));
    }

    /** Forgets those that ended a while ago. Where the log refuses one at once the rest waits for the next call. */
    void forgetEnded() {
        AtomicBoolean refused = new AtomicBoolean();
        for (Ended each = next(); each != null && !term.isOver(); each = refused.get() ? null : next()) {
            TransactionalId id = each.id;
            execution.execute(id, id.expire(Long.MAX_VALUE), new CallAnswer() {
                @Override
                public void done(ProducerIdentity producer) {}

                @Override
                public void refused(TransactionError why) {
                    completed(id);
                    refused.set(true);
                }
            });
        }
    }

    private synchronized @Nullable Ended next() {
        Ended first = ended.peek();
        boolean isOver =
                first != null && (ended.size() > room.remembered() || first.at + REMEMBERED_MILLIS <= term.now());
        return isOver ? ended.remove() : null;
    }
}
