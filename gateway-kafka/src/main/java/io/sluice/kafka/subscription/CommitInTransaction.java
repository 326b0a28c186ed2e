package io.sluice.kafka.subscription;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.LoopQuestion;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.SubscriptionReader;
import io.sluice.broker.subscription.TransactionalAck;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.kafka.api.TransactionChecks;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.protocol.Errors;

/**
 * Acknowledges all messages of a subscription before an offset in a producer's transaction, which the subscription joins by this: it counts
 * when the transaction is committed. Done when that is durable. Once more in the same transaction is a no-op; what is acknowledged already is a
 * conflict, as for Pulsar's clients.
 *
 * @param place subscription of the partition
 * @param offset of the first message that is not acknowledged
 * @param from offset of the first message that the transaction is of: no earlier one may be acknowledged by it; -1 for any
 * @param consumer that has to be served the partition now; empty for whichever is
 */
record CommitInTransaction(
        Participant place, Transaction transaction, long offset, long from, String consumer, TransactionChecks checks)
        implements PartitionStep<Errors> {
    static final byte CODE = 66;

    /** How often the coordinator is asked when the end of the producer's last transaction comes before the answer. */
    private static final int MOST_QUESTIONS = 3;

    /** @param bumps whether the producer has a new epoch after each transaction */
    record Transaction(String id, ProducerIdentity producer, boolean bumps) {}

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public boolean makesPartition() {
        return false;
    }

    @Override
    public Errors ofUnmade() {
        return Errors.GROUP_ID_NOT_FOUND;
    }

    private String subscription() {
        return Objects.requireNonNull(place.subscription());
    }

    @Override
    public void ask(PartitionLog log, Answer<Errors> answer) {
        Cursor cursor = log.subscriptions().find(subscription());
        if (cursor == null) {
            answer.complete(Errors.GROUP_ID_NOT_FOUND);
        } else {
            new Joining(log, cursor, answer).ask();
        }
    }

    /** A marker that comes while the coordinator is asked makes its answer worthless: nobody would end what is made pending then. */
    private final class Joining implements LoopQuestion.Asker<Errors>, Cursor.EndWatch {
        private final PartitionLog log;
        private final Cursor cursor;
        private final Answer<Errors> answer;
        private int left = MOST_QUESTIONS;
        private boolean ended;

        Joining(PartitionLog log, Cursor cursor, Answer<Errors> answer) {
            this.log = log;
            this.cursor = cursor;
            this.answer = answer;
        }

        void ask() {
            left--;
            ended = false;
            cursor.watch(this);
            LoopQuestion.ask(
                    log.container(),
                    told -> checks.join(transaction.id, transaction.producer, place, transaction.bumps, told),
                    this);
        }

        @Override
        public long transaction() {
            return transaction.producer.id();
        }

        @Override
        public void ended() {
            ended = true;
        }

        /** Acknowledging frees memory: it does not wait until there is room for appends. */
        @Override
        public boolean appends() {
            return false;
        }

        @Override
        public void answered(Errors why) {
            cursor.unwatch(this);
            if (why != Errors.NONE) {
                answer.complete(why);
            } else if (!ended) {
                acknowledge(log, cursor, answer);
            } else if (left > 0) {
                ask();
            } else {
                answer.complete(Errors.COORDINATOR_LOAD_IN_PROGRESS);
            }
        }

        @Override
        public void abandoned(StoreFailure why) {
            cursor.unwatch(this);
            answer.fail(why);
        }
    }

    /** In this turn: the transaction goes on. */
    private void acknowledge(PartitionLog log, Cursor cursor, Answer<Errors> answer) {
        Errors refused = refusal(log, cursor);
        long upTo = offset - 1;
        if (refused != Errors.NONE) {
            answer.complete(refused);
        } else if (upTo <= cursor.pendingUpTo(transaction.producer.id())) {
            log.container().barrier(answer.onceDurable(Errors.NONE));
        } else if (from >= 0 && from < cursor.ackedBelow()) {
            answer.complete(Errors.ILLEGAL_GENERATION);
        } else if (cursor.ackIn(TransactionalAck.upTo(transaction.producer.id(), upTo), answer.onceDurable(Errors.NONE))
                != null) {
            // as a member that others have followed: they have acknowledged it
            answer.complete(Errors.ILLEGAL_GENERATION);
        }
    }

    private Errors refusal(PartitionLog log, Cursor cursor) {
        List<SubscriptionReader> readers = cursor.readers();
        if (readers.stream().anyMatch(CommitInTransaction::takesTurns)) {
            // others hold messages before the offset, which are theirs to acknowledge
            return Errors.INCONSISTENT_GROUP_PROTOCOL;
        }
        boolean isServed = consumer.isEmpty()
                || readers.stream()
                        .anyMatch(reader -> reader.isServed() && reader.name().equals(consumer));
        if (!isServed) {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        return offset < 0 || offset > log.readableEnd(Isolation.COMMITTED) ? Errors.OFFSET_OUT_OF_RANGE : Errors.NONE;
    }

    /** Whether it is one of several that share the messages of a partition. */
    private static boolean takesTurns(SubscriptionReader reader) {
        return reader.type().equals("Shared") || reader.type().equals("Key_Shared");
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, place.topic());
        Packed.writeUnsigned(out, place.partition());
        Packed.writeString(out, subscription());
        Packed.writeString(out, transaction.id);
        out.writeLong(transaction.producer.id());
        out.writeShort(transaction.producer.epoch());
        out.writeBoolean(transaction.bumps);
        out.writeLong(offset);
        out.writeLong(from);
        Packed.writeString(out, consumer);
    }

    static CommitInTransaction read(ByteBuf in, TransactionChecks checks) {
        Participant place = new Participant(Packed.readString(in), Packed.readCount(in), Packed.readString(in));
        Transaction transaction = new Transaction(
                Packed.readString(in), new ProducerIdentity(in.readLong(), in.readShort()), in.readBoolean());
        return new CommitInTransaction(place, transaction, in.readLong(), in.readLong(), Packed.readString(in), checks);
    }

    @Override
    public void writeResult(Errors result, ByteBuf out) {
        out.writeShort(result.code());
    }

    @Override
    public Errors readResult(ByteBuf in) {
        return Errors.forCode(in.readShort());
    }
}
