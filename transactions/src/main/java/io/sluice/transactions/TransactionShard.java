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
final class TransactionShard implements TransactionRoom.Occupancy {
    private final ShardTerm term;
    private final TransactionRoom room;
    private final TransactionalIds ids = new TransactionalIds();
    private final OpenTransactions open;
    private final Execution execution;
    private final Singles singles;
    private final TransactionCounts counts;
    private final Joins joins;

    /**
     * @param coordinatorEpoch of the term
     * @param room what all shards may keep
     */
    TransactionShard(StateLog log, Markers markers, LongSupplier clock, int coordinatorEpoch, TransactionRoom room) {
        this(
                log,
                markers,
                clock,
                coordinatorEpoch,
                room,
                new TransactionCounts.ByKind(new TransactionCounts(), new TransactionCounts()));
    }

    /** @param counts of all shards */
    TransactionShard(
            StateLog log,
            Markers markers,
            LongSupplier clock,
            int coordinatorEpoch,
            TransactionRoom room,
            TransactionCounts.ByKind counts) {
        this.term = new ShardTerm(coordinatorEpoch, clock);
        this.room = room;
        this.counts = counts.producers();
        this.open = new OpenTransactions(counts);
        Execution.Outside outside = new Execution.Outside(log, markers, room);
        this.execution = new Execution(term, outside, ids, open, new Consequences());
        this.singles = new Singles(term, ids, room, execution);
        this.joins = new Joins(term, execution);
    }

    /** While it is loaded: what the log says of an id. */
    void load(String id, @Nullable TransactionMetadata metadata, @Nullable String owner) {
        if (metadata == null) {
            ids.remove(id);
        } else {
            ids.put(new TransactionalId(metadata, owner));
        }
    }

    /** Everything is loaded: what was being ended is ended. */
    void begin() {
        for (TransactionalId id : ids.all()) {
            TransactionalId.Prepared prepared = id.resume(term.now());
            if (prepared != null) {
                execution.deliver(id, prepared);
            } else if (id.isOngoing()) {
                open.loaded(id);
            } else if (id.isSingle() && id.hasEnded()) {
                singles.completed(id);
            }
        }
    }

    /** The term is over, or its state not to be relied on. Again is a no-op. */
    void close() {
        term.end();
        execution.close();
        ids.all().forEach(this::settled);
    }

    boolean isClosed() {
        return term.isOver();
    }

    int size() {
        return ids.size();
    }

    @Override
    public int producers() {
        return ids.size() - ids.singles();
    }

    @Override
    public int unendedSingles() {
        return ids.singles() - singles.remembered();
    }

    @Override
    public int openPartitions() {
        return open.partitions();
    }

    OpenTransactions open() {
        return open;
    }

    Singles singles() {
        return singles;
    }

    /** See {@link Singles#end}. */
    void endSingle(String id, TransactionUser user, boolean commit, CallAnswer answer) {
        TransactionalId known = findFor(user, id, answer);
        if (known != null) {
            singles.end(known, new EndRequest(commit, answer));
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
        if (known == null && !term.isOver()) {
            if (spareId == TransactionalId.NO_SPARE) {
                answer.refused(TransactionError.CONCURRENT);
                return;
            }
            if (!room.forProducer()) {
                answer.refused(TransactionError.TOO_MANY_IDS);
                return;
            }
            TransactionalId made = TransactionalId.made(id, spareId, timeoutMillis, term.now());
            known = ids.putIfAbsent(made);
            known = known == null ? made : known;
        }
        if (term.isOver() || known == null) {
            answer.refused(TransactionError.NOT_COORDINATOR);
            return;
        }
        Decision decision = known.init(timeoutMillis, expected, spareId, term.now());
        if (decision instanceof Decision.Write write && write.effect() == Decision.Effect.ABORT) {
            counts.fence();
        }
        execute(known, decision, answer);
    }

    /** See {@link TransactionalId#add}. */
    void add(String id, ProducerIdentity producer, Set<TopicPartition> partitions, boolean bumps, CallAnswer answer) {
        TransactionalId known = find(id, answer);
        if (known != null) {
            execute(known, known.add(producer, partitions, bumps, term.now()), answer);
        }
    }

    /** See {@link TransactionalId#verify}. */
    @Nullable
    TransactionError verify(String id, TransactionUser user, ProducerIdentity producer, TopicPartition partition) {
        TransactionalId known = ids.get(id);
        if (term.isOver()) {
            return TransactionError.NOT_COORDINATOR;
        }
        if (known == null) {
            return TransactionError.UNKNOWN_PRODUCER;
        }
        return known.isUsableBy(user) ? known.verify(producer, partition) : TransactionError.NOT_OWNER;
    }

    /** See {@link TransactionalId#end}. Answered with what the producer goes on as, when the outcome is durable. */
    void end(String id, ProducerIdentity producer, boolean commit, boolean bumps, long spareId, CallAnswer answer) {
        TransactionalId known = find(id, answer);
        if (known != null) {
            execute(known, known.end(producer, commit, bumps, spareId, term.now()), answer);
        }
    }

    private @Nullable TransactionalId find(String id, CallAnswer answer) {
        TransactionalId known = ids.get(id);
        if (term.isOver()) {
            answer.refused(TransactionError.NOT_COORDINATOR);
            return null;
        }
        if (known == null) {
            answer.refused(TransactionError.UNKNOWN_PRODUCER);
        }
        return known;
    }

    /** To one that may not use it there is no such transaction. */
    private @Nullable TransactionalId findFor(TransactionUser user, String id, CallAnswer answer) {
        TransactionalId known = find(id, answer);
        if (known == null || known.isUsableBy(user)) {
            return known;
        }
        answer.refused(TransactionError.UNKNOWN_PRODUCER);
        return null;
    }

    /** See {@link Joins#join}. */
    void joinSingle(String id, TransactionUser user, Joining joining) {
        TransactionalId known = findFor(user, id, joining.answer());
        if (known != null) {
            joins.join(known, joining.key(), List.of(joining));
        }
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
        long now = term.now();
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
        long unusedSince = term.now() - forMillis;
        for (TransactionalId id : ids.all()) {
            if (!term.isOver() && !id.isSingle()) {
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

    private void execute(TransactionalId id, Decision decision, CallAnswer answer) {
        execution.execute(id, decision, answer);
    }

    private void settled(TransactionalId id) {
        singles.settled(id);
        joins.settled(id);
    }

    /** Passes what the execution says on to those that wait for it. */
    private final class Consequences implements Execution.Listener {
        @Override
        public void settled(TransactionalId id) {
            TransactionShard.this.settled(id);
        }

        @Override
        public void completed(TransactionalId id) {
            if (id.isSingle()) {
                singles.completed(id);
            }
            settled(id);
        }

        @Override
        public void lost() {
            close();
        }
    }
}
