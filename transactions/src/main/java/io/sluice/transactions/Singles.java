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

    private final TransactionShard shard;

    private final int mostRemembered;

    private final Deque<Ended> ended = new ArrayDeque<>();

    private record Ended(TransactionalId id, long at) {}

    /** @param mostRemembered of those that have ended; beyond it the first to end is forgotten first */
    Singles(TransactionShard shard, int mostRemembered) {
        this.shard = shard;
        this.mostRemembered = mostRemembered;
    }

    /** The transaction is open when this is answered. */
    void begin(SingleTransaction transaction, int timeoutMillis, CallAnswer answer) {
        TransactionalId made = TransactionalId.single(transaction, timeoutMillis, shard.now());
        TransactionError refused = shard.enter(made);
        if (refused != null) {
            answer.refused(refused);
        } else {
            shard.execute(made, made.open(shard.now()), answer);
        }
    }

    void end(TransactionalId id, Ending ending) {
        if (shard.isClosed()) {
            ending.answer().refused(TransactionError.NOT_COORDINATOR);
            return;
        }
        Decision decision = id.endSingle(ending, shard.now());
        shard.execute(id, decision, decision instanceof Decision.Reply ? ending.answer() : new KeptEndings(id));
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
        List<Ending> waiting = id.takeEndings();
        waiting.forEach(each -> end(id, each));
    }

    /** It was open for too long. */
    void abort(TransactionalId id) {
        end(id, new Ending(false, CallAnswer.IGNORED));
    }

    /** Number of ended transactions that are remembered. */
    synchronized int remembered() {
        return ended.size();
    }

    synchronized void completed(TransactionalId id) {
        ended.add(new Ended(id, shard.now()));
    }

    /** Forgets those that ended a while ago. Where the log refuses one at once the rest waits for the next call. */
    void forgetEnded() {
        AtomicBoolean refused = new AtomicBoolean();
        for (Ended each = next(); each != null && !shard.isClosed(); each = refused.get() ? null : next()) {
            TransactionalId id = each.id;
            shard.execute(id, id.expire(Long.MAX_VALUE), new CallAnswer() {
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
                first != null && (ended.size() > mostRemembered || first.at + REMEMBERED_MILLIS <= shard.now());
        return isOver ? ended.remove() : null;
    }

    /** A request to end the transaction. */
    record Ending(boolean commit, CallAnswer answer) {}
}
