package io.sluice.transactions;

import io.sluice.transactions.Decision.Effect;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.transaction.TransactionLog;
import org.apache.kafka.coordinator.transaction.TxnTransitMetadata;
import org.apache.kafka.server.common.TransactionVersion;

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
    private final TransactionShard shard;
    private final Outside outside;
    private final TransactionalIds ids;
    private final OpenTransactions open;

    /** Failed steps, to be done again with the next {@link #retry}. One or fewer for each marker that is under way. */
    private final Queue<Runnable> retries = new ConcurrentLinkedQueue<>();

    /**
     * Services that a shard uses.
     *
     * @param coordinatorEpoch of the term
     * @param room what all shards may keep
     */
    record Outside(StateLog log, Markers markers, int coordinatorEpoch, TransactionRoom room) {}

    Execution(TransactionShard shard, Outside outside, TransactionalIds ids, OpenTransactions open) {
        this.shard = shard;
        this.outside = outside;
        this.ids = ids;
        this.open = open;
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
                if (shard.isClosed()) {
                    shard.settled(id);
                }
            }
        }
    }

    /** Whether the partitions that an id's transaction is to have may be kept. */
    private boolean isRoomFor(TransactionalId id, TxnTransitMetadata next) {
        return outside.room.forPartitions(next.topicPartitions().size() - open.partitions(id));
    }

    private void append(TransactionalId id, Decision.Write write, CallAnswer answer) {
        ByteBuffer key = ByteBuffer.wrap(TransactionLog.keyToBytes(id.name()));
        ByteBuffer value = write.effect() == Effect.FORGET
                ? null
                : ByteBuffer.wrap(TransactionLog.valueToBytes(write.record(), TransactionVersion.LATEST_PRODUCTION));
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
            if (shard.isClosed()) {
                answer.refused(TransactionError.NOT_COORDINATOR);
                return;
            }
            perform(id, write);
            answer.told(write.reply());
            shard.settled(id);
        }

        @Override
        public void refused(TransactionError why) {
            refuse(id, write, answer, why);
        }

        @Override
        public void lost() {
            shard.close();
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
        shard.settled(id);
    }

    private void end(TransactionalId id, TxnTransitMetadata outcome, boolean commit) {
        open.ended(id, commit);
        Set<TopicPartition> partitions = Set.copyOf(outcome.topicPartitions());
        TxnTransitMetadata complete = id.applyPrepared(outcome, shard.now());
        ProducerIdentity producer = new ProducerIdentity(outcome.producerId(), outcome.producerEpoch());
        carryOut(id, new TransactionalId.Prepared(producer, commit, partitions, complete));
    }

    /** Carries out an outcome that is durable. */
    void carryOut(TransactionalId id, TransactionalId.Prepared prepared) {
        new CarryOut(shard, this, id, prepared).start();
    }

    /**
     * All markers are there. Does not wait until {@code complete} is durable. The next step of the id lies behind it in the log, and where it
     * and all behind it are missing, or it was refused, a load writes the markers once more. So it is not written again either: it could
     * then lie behind the next transaction's begin.
     */
    void complete(TransactionalId id, TxnTransitMetadata complete) {
        append(id, new Decision.Write(complete, Effect.COMPLETE, id.done()), CallAnswer.IGNORED);
        id.apply(complete);
        shard.completed(id);
    }

    /** To be done with the next {@link #retry}. */
    void again(Runnable step) {
        if (!shard.isClosed()) {
            retries.add(step);
        }
    }

    /** Does again what could not be done. */
    void retry() {
        int now = retries.size();
        for (int i = 0; i < now; i++) {
            Runnable retry = retries.poll();
            if (retry != null && !shard.isClosed()) {
                retry.run();
            }
        }
    }

    /** Forgets what is to be done again. */
    void close() {
        retries.clear();
    }

    Markers markers() {
        return outside.markers;
    }

    int coordinatorEpoch() {
        return outside.coordinatorEpoch;
    }
}
