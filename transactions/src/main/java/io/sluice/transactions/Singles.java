package io.sluice.transactions;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.coordinator.transaction.TxnTransitMetadata;
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

    private final TransactionCounts counts;

    /** @param mostRemembered of those that have ended; beyond it the first to end is forgotten first */
    Singles(TransactionShard shard, int mostRemembered, TransactionCounts counts) {
        this.shard = shard;
        this.mostRemembered = mostRemembered;
        this.counts = counts;
    }

    /** The transaction is open when this is answered. */
    void begin(SingleTransaction transaction, int timeoutMillis, TransactionShard.Answer<ProducerIdentity> answer) {
        TransactionalId made = TransactionalId.single(transaction, timeoutMillis, shard.now());
        TransactionError refused = shard.enter(made);
        if (refused != null) {
            answer.refused(refused);
            return;
        }
        TxnTransitMetadata open = made.open(shard.now());
        shard.append(made, open, () -> shard.leave(made), answer::refused, () -> {
            made.apply(open);
            shard.open().begun(made);
            counts.begin();
            answer.done(transaction.producer());
        });
    }

    void end(TransactionalId id, Ending ending) {
        if (shard.isClosed()) {
            ending.answer().refused(TransactionError.NOT_COORDINATOR);
            return;
        }
        switch (id.endSingle(ending, shard.now())) {
            case Decision.Done done -> ending.answer().done(done.producer());
            case Decision.Refused refused -> ending.answer().refused(refused.why());
            case Decision.Write write -> prepare(id, write.next(), ending.commit());
            case Decision.Wait _ -> {
                if (shard.isClosed()) {
                    settled(id);
                }
            }
            case Decision.Fence _ -> throw new IllegalStateException();
        }
    }

    /** Tells the waiting requests of the end, or why there is none. */
    private void prepare(TransactionalId id, TxnTransitMetadata next, boolean commit) {
        shard.append(
                id,
                next,
                id::withdraw,
                why -> id.takeEndings().forEach(each -> each.answer().refused(why)),
                () -> {
                    counts.end(commit);
                    shard.prepared(id, next, commit);
                });
    }

    /** A change of the id was made: those that wait for its end look again. */
    void settled(TransactionalId id) {
        List<Ending> waiting = id.takeEndings();
        waiting.forEach(each -> end(id, each));
    }

    /** It was open for too long. */
    void abort(TransactionalId id) {
        end(id, new Ending(false, Ending.NOBODY));
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
            if (id.expire(Long.MAX_VALUE)) {
                shard.forget(id, () -> {
                    completed(id);
                    refused.set(true);
                });
            }
        }
    }

    private synchronized @Nullable Ended next() {
        Ended first = ended.peek();
        boolean isOver =
                first != null && (ended.size() > mostRemembered || first.at + REMEMBERED_MILLIS <= shard.now());
        return isOver ? ended.remove() : null;
    }

    /** A request to end the transaction. */
    record Ending(boolean commit, TransactionShard.Answer<ProducerIdentity> answer) {
        static final TransactionShard.Answer<ProducerIdentity> NOBODY = new TransactionShard.Answer<>() {
            @Override
            public void done(ProducerIdentity producer) {}

            @Override
            public void refused(TransactionError why) {}
        };
    }
}
