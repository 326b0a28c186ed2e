package io.sluice.transactions;

import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.transaction.TransactionMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The transactional ids of one state partition, in one term of it: each call finds its id, which decides, and the decision is carried out.
 *
 * <p>Has no threads and no clock of its own. Methods may be called by any thread and do not block; answers come on the thread
 * that made something durable, or at once. A crash at any step needs nothing but a load: an outcome that was written is
 * carried out again, markers may be repeated, and what was not written was not answered.
 */
final class TransactionShard {
    private final LongSupplier clock;
    private final TransactionRoom room;
    private final TransactionalIds ids = new TransactionalIds();
    private final OpenTransactions open;
    private final Execution execution;
    private final Singles singles;
    private final TransactionCounts counts;
    private final Joins joins = new Joins(this);

    private volatile boolean closed;

    /**
     * @param coordinatorEpoch of the term
     * @param room what all shards may keep
     */
    TransactionShard(StateLog log, Markers markers, LongSupplier clock, int coordinatorEpoch, TransactionRoom room) {
        this(log, markers, clock, coordinatorEpoch, room, new Counts(new TransactionCounts(), new TransactionCounts()));
    }

    /**
     * Counts over all shards.
     *
     * @param producers transactions of clients' transactional ids
     * @param singles those that have an id of their own
     */
    record Counts(TransactionCounts producers, TransactionCounts singles) {}

    /** @param counts of all shards */
    TransactionShard(
            StateLog log,
            Markers markers,
            LongSupplier clock,
            int coordinatorEpoch,
            TransactionRoom room,
            Counts counts) {
        this.clock = clock;
        this.room = room;
        this.counts = counts.producers();
        this.singles = new Singles(this, room.remembered());
        this.open = new OpenTransactions(counts);
        this.execution = new Execution(this, new Execution.Outside(log, markers, coordinatorEpoch, room), ids, open);
    }

    /** While it is loaded: what the log says of an id. */
    void load(String id, @Nullable TransactionMetadata metadata) {
        if (metadata == null) {
            ids.remove(id);
        } else {
            ids.put(new TransactionalId(metadata));
        }
    }

    /** Everything is loaded: what was being ended is ended. */
    void begin() {
        for (TransactionalId id : ids.all()) {
            TransactionalId.Prepared prepared = id.resume(clock.getAsLong());
            if (prepared != null) {
                execution.carryOut(id, prepared);
            } else if (id.isOngoing()) {
                open.loaded(id);
            } else if (id.isSingle() && id.hasEnded()) {
                singles.completed(id);
            }
        }
    }

    /** The term is over, or its state not to be relied on. Again is a no-op. */
    void close() {
        closed = true;
        execution.close();
        ids.all().forEach(this::settled);
    }

    boolean isClosed() {
        return closed;
    }

    int size() {
        return ids.size();
    }

    /** Ids that are not single. */
    int producers() {
        return ids.size() - ids.singles();
    }

    /** Single transactions that are open or being ended. */
    int unendedSingles() {
        return ids.singles() - singles.remembered();
    }

    OpenTransactions open() {
        return open;
    }

    long now() {
        return clock.getAsLong();
    }

    Singles singles() {
        return singles;
    }

    /** Adds a new id of a single transaction. Null, or why not. */
    @Nullable
    TransactionError enter(TransactionalId made) {
        if (closed) {
            return TransactionError.NOT_COORDINATOR;
        }
        if (!room.forSingle()) {
            return TransactionError.TOO_MANY_IDS;
        }
        return ids.putIfAbsent(made) == null ? null : TransactionError.CONCURRENT;
    }

    /** See {@link Singles#end}. */
    void endSingle(String id, boolean commit, CallAnswer answer) {
        TransactionalId known = find(id, answer);
        if (known != null) {
            singles.end(known, new Singles.Ending(commit, answer));
        }
    }

    /** Whether {@link #init} should be given a new producer id. */
    boolean needsIdToInit(String id) {
        TransactionalId known = ids.get(id);
        return known == null || known.mayNeedProducerId();
    }

    /** Whether {@link #end} should be given a new producer id. */
    boolean needsIdToEnd(String id) {
        TransactionalId known = ids.get(id);
        return known != null && known.mayNeedProducerId();
    }

    /** See {@link TransactionalId#init}. */
    void init(String id, int timeoutMillis, @Nullable ProducerIdentity expected, long spareId, CallAnswer answer) {
        TransactionalId known = ids.get(id);
        if (known == null && !closed) {
            if (spareId == TransactionalId.NO_SPARE) {
                answer.refused(TransactionError.CONCURRENT);
                return;
            }
            if (!room.forProducer()) {
                answer.refused(TransactionError.TOO_MANY_IDS);
                return;
            }
            TransactionalId made = TransactionalId.made(id, spareId, timeoutMillis, clock.getAsLong());
            known = ids.putIfAbsent(made);
            known = known == null ? made : known;
        }
        if (closed || known == null) {
            answer.refused(TransactionError.NOT_COORDINATOR);
            return;
        }
        Decision decision = known.init(timeoutMillis, expected, spareId, clock.getAsLong());
        if (decision instanceof Decision.Write write && write.effect() == Decision.Effect.ABORT) {
            counts.fence();
        }
        execute(known, decision, answer);
    }

    /** See {@link TransactionalId#add}. */
    void add(String id, ProducerIdentity producer, Set<TopicPartition> partitions, boolean bumps, CallAnswer answer) {
        TransactionalId known = find(id, answer);
        if (known != null) {
            execute(known, known.add(producer, partitions, bumps, clock.getAsLong()), answer);
        }
    }

    /** See {@link TransactionalId#verify}. */
    @Nullable
    TransactionError verify(String id, ProducerIdentity producer, TopicPartition partition) {
        TransactionalId known = ids.get(id);
        if (closed) {
            return TransactionError.NOT_COORDINATOR;
        }
        return known == null ? TransactionError.UNKNOWN_PRODUCER : known.verify(producer, partition);
    }

    /** See {@link TransactionalId#end}. Answered with what the producer goes on as, when the outcome is durable. */
    void end(String id, ProducerIdentity producer, boolean commit, boolean bumps, long spareId, CallAnswer answer) {
        TransactionalId known = find(id, answer);
        if (known != null) {
            execute(known, known.end(producer, commit, bumps, spareId, clock.getAsLong()), answer);
        }
    }

    private @Nullable TransactionalId find(String id, CallAnswer answer) {
        TransactionalId known = ids.get(id);
        if (closed) {
            answer.refused(TransactionError.NOT_COORDINATOR);
            return null;
        }
        if (known == null) {
            answer.refused(TransactionError.UNKNOWN_PRODUCER);
        }
        return known;
    }

    /** See {@link Joins#join}. */
    void join(String id, Joining joining) {
        TransactionalId known = find(id, joining.answer());
        if (known != null) {
            joins.join(known, joining.key(), List.of(joining));
        }
    }

    /** Answers those that have waited long enough. */
    void endWaits() {
        joins.endWaits();
    }

    /** Aborts transactions that are open for too long. */
    void abortOverdue() {
        long now = clock.getAsLong();
        for (TransactionalId id : open.all()) {
            if (id.isSingle()) {
                if (id.isOverdue(now)) {
                    singles.abort(id);
                }
                continue;
            }
            Decision decision = id.abortOverdue(now);
            if (decision instanceof Decision.Write) {
                counts.timeOut();
            }
            execute(id, decision, CallAnswer.IGNORED);
        }
    }

    /** Forgets ids that have had no transaction for so long, milliseconds. */
    void forgetUnused(long forMillis) {
        long unusedSince = clock.getAsLong() - forMillis;
        for (TransactionalId id : ids.all()) {
            if (!closed && !id.isSingle()) {
                execute(id, id.expire(unusedSince), CallAnswer.IGNORED);
            }
        }
    }

    /** Does again what could not be done. */
    void retry() {
        execution.retry();
    }

    @Nullable
    TransactionDescription describe(String id) {
        TransactionalId known = ids.get(id);
        return known == null ? null : known.describe();
    }

    List<TransactionDescription> all() {
        return ids.descriptions();
    }

    /** See {@link Execution#execute}. */
    void execute(TransactionalId id, Decision decision, CallAnswer answer) {
        execution.execute(id, decision, answer);
    }

    /** The transaction has ended in all its partitions. */
    void completed(TransactionalId id) {
        if (id.isSingle()) {
            singles.completed(id);
        }
        settled(id);
    }

    /** A change of the id was made or withdrawn: calls that wait for it go on. */
    void settled(TransactionalId id) {
        singles.settled(id);
        joins.settled(id);
    }
}
