package io.sluice.transactions;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.transaction.TransactionLog;
import org.apache.kafka.coordinator.transaction.TransactionMetadata;
import org.apache.kafka.coordinator.transaction.TxnTransitMetadata;
import org.apache.kafka.server.common.TransactionVersion;
import org.jspecify.annotations.Nullable;

/**
 * The transactional ids of one state partition, in one term of it.
 *
 * <pre>
 *   decide ─► write ─► durable: apply, answer
 *                         └─ of an end: markers to all partitions ─► all durable ─► append that it is complete, apply
 * </pre>
 *
 * <p>Has no threads and no clock of its own. Methods may be called by any thread and do not block; answers come on the thread
 * that made something durable, or at once. A crash at any step needs nothing but a load: an outcome that was written is
 * carried out again, markers may be repeated, and what was not written was not answered.
 */
final class TransactionShard {
    private final StateLog log;
    private final Markers markers;
    private final LongSupplier clock;
    private final int coordinatorEpoch;
    private final TransactionRoom room;
    private final TransactionalIds ids = new TransactionalIds();
    private final OpenTransactions open;

    /** Failed steps, to be done again with the next {@link #retry}. One or fewer for each marker that is under way. */
    private final Queue<Runnable> retries = new ConcurrentLinkedQueue<>();

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
        this.singles = new Singles(this, room.remembered(), counts.singles());
        this.counts = counts.producers();
        this.open = new OpenTransactions(this.counts);
        this.log = log;
        this.markers = markers;
        this.clock = clock;
        this.coordinatorEpoch = coordinatorEpoch;
        this.room = room;
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
                carryOut(id, prepared);
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
        retries.clear();
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

    /** Whether the partitions that an id's transaction is to have may be kept. */
    boolean isRoomFor(TransactionalId id, TxnTransitMetadata next) {
        return room.forPartitions(next.topicPartitions().size() - open.partitions(id));
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

    /** A new id of a single transaction, which {@link #leave} takes away if it is not written. Null, or why not. */
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

    void leave(TransactionalId made) {
        ids.remove(made);
    }

    /** See {@link Singles#end}. */
    void endSingle(String id, boolean commit, Answer<ProducerIdentity> answer) {
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
    void init(
            String id,
            int timeoutMillis,
            @Nullable ProducerIdentity expected,
            long spareId,
            Answer<ProducerIdentity> answer) {
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
        TransactionalId of = known;
        switch (of.init(timeoutMillis, expected, spareId, clock.getAsLong())) {
            case Decision.Done done -> answer.done(done.producer());
            case Decision.Refused refused -> answer.refused(refused.why());
            case Decision.Write write ->
                write(of, write.next(), answer, () -> {
                    of.apply(write.next());
                    answer.done(producerOf(write.next()));
                });
            // Whoever asks comes again, and finds the transaction aborted.
            case Decision.Fence _ -> {
                counts.fence();
                abort(of, why -> answer.refused(why == null ? TransactionError.CONCURRENT : why));
            }
            case Decision.Wait _ -> throw new IllegalStateException();
        }
    }

    /** See {@link TransactionalId#add}. */
    void add(
            String id,
            ProducerIdentity producer,
            Set<TopicPartition> partitions,
            boolean bumps,
            Answer<ProducerIdentity> answer) {
        TransactionalId known = find(id, answer);
        if (known == null) {
            return;
        }
        switch (known.add(producer, partitions, bumps, clock.getAsLong())) {
            case Decision.Done done -> answer.done(done.producer());
            case Decision.Refused refused -> answer.refused(refused.why());
            case Decision.Write write
            when !isRoomFor(known, write.next()) -> {
                known.withdraw();
                answer.refused(TransactionError.TOO_MANY_IDS);
                settled(known);
            }
            case Decision.Write write ->
                write(known, write.next(), answer, () -> {
                    known.apply(write.next());
                    open.begun(known);
                    answer.done(producer);
                });
            case Decision.Fence _, Decision.Wait _ -> throw new IllegalStateException();
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
    void end(
            String id,
            ProducerIdentity producer,
            boolean commit,
            boolean bumps,
            long spareId,
            Answer<ProducerIdentity> answer) {
        TransactionalId known = find(id, answer);
        if (known == null) {
            return;
        }
        switch (known.end(producer, commit, bumps, spareId, clock.getAsLong())) {
            case Decision.Done done -> answer.done(done.producer());
            case Decision.Refused refused -> answer.refused(refused.why());
            case Decision.Write write -> prepare(known, write.next(), commit, answer);
            case Decision.Fence _, Decision.Wait _ -> throw new IllegalStateException();
        }
    }

    private @Nullable TransactionalId find(String id, Answer<?> answer) {
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
            if (id.fenceOverdue(now)) {
                counts.timeOut();
                abort(id, why -> {});
            }
        }
    }

    /** Forgets ids that have had no transaction for so long, milliseconds. */
    void forgetUnused(long forMillis) {
        long unusedSince = clock.getAsLong() - forMillis;
        for (TransactionalId id : ids.all()) {
            if (!closed && !id.isSingle() && id.expire(unusedSince)) {
                forget(id, () -> {});
            }
        }
    }

    /** Forgets an id that {@link TransactionalId#expire} allowed to go. */
    void forget(TransactionalId id, Runnable failed) {
        log.append(key(id), null, new Step(id, id::withdraw, why -> failed.run(), () -> leave(id)));
    }

    /** Does again what could not be done. */
    void retry() {
        int now = retries.size();
        for (int i = 0; i < now; i++) {
            Runnable retry = retries.poll();
            if (retry != null && !closed) {
                retry.run();
            }
        }
    }

    @Nullable
    TransactionDescription describe(String id) {
        TransactionalId known = ids.get(id);
        return known == null ? null : known.describe();
    }

    List<TransactionDescription> all() {
        return ids.descriptions();
    }

    private void abort(TransactionalId id, Consumer<@Nullable TransactionError> answer) {
        switch (id.abortFenced(clock.getAsLong())) {
            case Decision.Write write -> {
                Runnable durable = () -> {
                    prepared(id, write.next(), false);
                    answer.accept(null);
                };
                append(id, write.next(), new Step(id, id::withdraw, answer, durable));
            }
            case Decision.Refused refused -> answer.accept(refused.why());
            case Decision.Done _, Decision.Fence _, Decision.Wait _ -> throw new IllegalStateException();
        }
    }

    private void prepare(TransactionalId id, TxnTransitMetadata next, boolean commit, Answer<ProducerIdentity> answer) {
        write(id, next, answer, () -> answer.done(prepared(id, next, commit)));
    }

    /** @return what the producer goes on as */
    ProducerIdentity prepared(TransactionalId id, TxnTransitMetadata next, boolean commit) {
        open.ended(id, commit);
        Set<TopicPartition> partitions = Set.copyOf(next.topicPartitions());
        TxnTransitMetadata complete = id.applyPrepared(next, clock.getAsLong());
        carryOut(id, new TransactionalId.Prepared(producerOf(next), commit, partitions, complete));
        return producerOf(complete);
    }

    /** All markers are durable, and {@code complete} is in the log in front of all that follows. */
    void completed(TransactionalId id, TxnTransitMetadata complete) {
        id.apply(complete);
        if (id.isSingle()) {
            singles.completed(id);
        }
        settled(id);
    }

    /** To be done with the next {@link #retry}. */
    void again(Runnable step) {
        if (!closed) {
            retries.add(step);
        }
    }

    Markers markers() {
        return markers;
    }

    int coordinatorEpoch() {
        return coordinatorEpoch;
    }

    private void carryOut(TransactionalId id, TransactionalId.Prepared prepared) {
        new CarryOut(this, id, prepared).start();
    }

    private void write(TransactionalId id, TxnTransitMetadata next, Answer<?> answer, Runnable durable) {
        append(id, next, new Step(id, id::withdraw, answer::refused, durable));
    }

    private void append(TransactionalId id, TxnTransitMetadata next, Step step) {
        byte[] value = TransactionLog.valueToBytes(next, TransactionVersion.LATEST_PRODUCTION);
        log.append(key(id), ByteBuffer.wrap(value), step);
    }

    void append(
            TransactionalId id,
            TxnTransitMetadata next,
            Runnable withdraw,
            Consumer<TransactionError> failed,
            Runnable durable) {
        append(id, next, new Step(id, withdraw, failed, durable));
    }

    private static ByteBuffer key(TransactionalId id) {
        return ByteBuffer.wrap(TransactionLog.keyToBytes(id.name()));
    }

    private static ProducerIdentity producerOf(TxnTransitMetadata metadata) {
        return new ProducerIdentity(metadata.producerId(), metadata.producerEpoch());
    }

    private void settled(TransactionalId id) {
        singles.settled(id);
        joins.settled(id);
    }

    /** To a call. Exactly one of these is called, once. */
    interface Answer<T> {
        void done(T result);

        void refused(TransactionError why);
    }

    /** One write of an id's state. */
    private final class Step implements StateLog.Written {
        private final TransactionalId id;
        private final Runnable withdraw;
        private final Consumer<TransactionError> failed;
        private final Runnable durable;

        Step(TransactionalId id, Runnable withdraw, Consumer<TransactionError> failed, Runnable durable) {
            this.id = id;
            this.withdraw = withdraw;
            this.failed = failed;
            this.durable = durable;
        }

        @Override
        public void durable() {
            if (closed) {
                failed.accept(TransactionError.NOT_COORDINATOR);
                return;
            }
            durable.run();
            settled(id);
        }

        @Override
        public void refused(TransactionError why) {
            withdraw.run();
            failed.accept(why);
            settled(id);
        }

        @Override
        public void lost() {
            close();
            failed.accept(TransactionError.NOT_COORDINATOR);
        }
    }
}
