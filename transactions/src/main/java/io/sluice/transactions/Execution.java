package io.sluice.transactions;

import io.sluice.transactions.Decision.Effect;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.transaction.TxnTransitMetadata;

/**
 * Carries out the decisions of a shard's ids. Any thread; does not block.
 *
 * <pre>
 *   decision ─► record written ─► durable: effect, reply ─► calls that waited go on
 *                  ├─ refused: withdrawn, the call is told why ─► calls that waited go on
 *                  └─ lost: the shard is closed
 *
 *   effect of an outcome: markers to all partitions ─► all durable ─► append that it is complete, apply
 * </pre>
 */
final class Execution {
    private final ShardTerm term;
    private final Outside outside;
    private final TransactionalIds ids;
    private final OpenTransactions open;
    private final Listener listener;
    private final Retries retries;

    /**
     * Services that a shard uses.
     *
     * @param room what all shards may keep
     */
    record Outside(StateLog log, Markers markers, TransactionRoom room) {}

    /** Hears what became of decisions, on any thread; does not block. */
    interface Listener {
        /** A change of the id was made or withdrawn: calls that wait for it go on. */
        void settled(TransactionalId id);

        /** The transaction has ended in all its partitions. */
        void completed(TransactionalId id);

        /** A record may or may not be in the log: the term is to be given up. */
        void lost();
    }

    Execution(ShardTerm term, Outside outside, TransactionalIds ids, OpenTransactions open, Listener listener) {
        this.term = term;
        this.outside = outside;
        this.ids = ids;
        this.open = open;
        this.listener = listener;
        this.retries = new Retries(term);
    }

    /** @param answer told of the decision's reply, or why it could not be written */
    void execute(TransactionalId id, Decision decision, CallAnswer answer) {
        switch (decision) {
            case Decision.Reply reply -> answer.told(reply);
            case Decision.Write write
            when write.effect() == Effect.BEGIN && !isRoomFor(id, write.record()) ->
                refuse(id, write, answer, TransactionError.TOO_MANY_IDS);
            case Decision.Write write -> append(id, write, answer);
            case Decision.Kept _ -> {
                if (term.isOver()) {
                    listener.settled(id);
                }
            }
        }
    }

    /** Whether the partitions that an id's transaction is to have may be kept. */
    private boolean isRoomFor(TransactionalId id, TxnTransitMetadata next) {
        return outside.room.forPartitions(next.topicPartitions().size() - open.partitions(id));
    }

    private void append(TransactionalId id, Decision.Write write, CallAnswer answer) {
        ByteBuffer key = ByteBuffer.wrap(StateRecords.key(id.name()));
        ByteBuffer value = write.effect() == Effect.FORGET
                ? null
                : ByteBuffer.wrap(StateRecords.value(write.record(), id.owner()));
        outside.log.append(key, value, new Appended(id, write, answer));
    }

    /** One record on its way. */
    private final class Appended implements StateLog.Written {
        private final TransactionalId id;
        private final Decision.Write write;
        private final CallAnswer answer;

        Appended(TransactionalId id, Decision.Write write, CallAnswer answer) {
            this.id = id;
            this.write = write;
            this.answer = answer;
        }

        @Override
        public void durable() {
            if (term.isOver()) {
                answer.refused(TransactionError.NOT_COORDINATOR);
                return;
            }
            perform(id, write);
            answer.told(write.reply());
            listener.settled(id);
        }

        @Override
        public void refused(TransactionError why) {
            refuse(id, write, answer, why);
        }

        @Override
        public void lost() {
            listener.lost();
            answer.refused(TransactionError.NOT_COORDINATOR);
        }
    }

    private void perform(TransactionalId id, Decision.Write write) {
        switch (write.effect()) {
            case APPLY -> id.apply(write.record());
            case OPEN, BEGIN -> {
                id.apply(write.record());
                open.begun(id);
            }
            case COMMIT -> end(id, write.record(), true);
            case ABORT -> end(id, write.record(), false);
            case COMPLETE -> {}
            case FORGET -> ids.remove(id);
        }
    }

    private void refuse(TransactionalId id, Decision.Write write, CallAnswer answer, TransactionError why) {
        switch (write.effect()) {
            case APPLY, BEGIN, COMMIT, ABORT, FORGET -> id.withdraw();
            case OPEN -> ids.remove(id);
            case COMPLETE -> {}
        }
        answer.refused(why);
        listener.settled(id);
    }

    private void end(TransactionalId id, TxnTransitMetadata outcome, boolean commit) {
        open.ended(id, commit);
        Set<TopicPartition> partitions = new LinkedHashSet<>(outcome.topicPartitions());
        TxnTransitMetadata complete = id.applyPrepared(outcome, term.now());
        ProducerIdentity producer = new ProducerIdentity(outcome.producerId(), outcome.producerEpoch());
        deliver(id, new TransactionalId.Prepared(producer, commit, partitions, complete));
    }

    /** Delivers an outcome that is durable to its partitions, and completes the transaction. */
    void deliver(TransactionalId id, TransactionalId.Prepared prepared) {
        Runnable delivered = () -> complete(id, prepared.complete());
        new OutcomeDelivery(term, outside.markers, retries, prepared, delivered).start();
    }

    /**
     * All markers are there. Does not wait until {@code complete} is durable. The next step of the id lies behind it in the log, and where it
     * and all behind it are missing, or it was refused, a load writes the markers once more. So it is not written again either: it could
     * then lie behind the next transaction's begin.
     */
    private void complete(TransactionalId id, TxnTransitMetadata complete) {
        append(id, new Decision.Write(complete, Effect.COMPLETE, id.done()), CallAnswer.IGNORED);
        id.apply(complete);
        listener.completed(id);
    }

    /** Does again what could not be done. */
    void retry() {
        retries.run();
    }

    /** Forgets what is to be done again. */
    void close() {
        retries.clear();
    }
}
