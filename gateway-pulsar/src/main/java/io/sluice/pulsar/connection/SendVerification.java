package io.sluice.pulsar.connection;

import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.LoopQuestion;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.broker.log.PartitionTransactions.Verification;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.Participant;
import io.sluice.transactions.SingleTransaction;
import io.sluice.transactions.TransactionError;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Question to the coordinator before a producer's first send of a transaction is appended to a partition. Whatever else the same producer sends
 * meanwhile waits behind it, so that all its messages are appended in the order in which they came; a connection has no more than its
 * bound of unanswered sends. The transaction's end may come before the answer; then it is asked again. Container's loop only.
 */
final class SendVerification implements LoopQuestion.Asker<@Nullable TransactionError>, LoopTask {
    /** For a send; after the last answer the partition refuses it if its transaction has ended. */
    private static final int MOST_QUESTIONS = 3;

    /** Port: the authority over a transaction. */
    interface Coordinator {
        /** Whether the client may use all transactions, so that there is nothing to ask about one that is open in the partition. */
        boolean usesAll();

        /** @param answer null if the partition is part of the open transaction, which the client may use; called once, at once or later, on any thread */
        void verify(SingleTransaction transaction, Participant partition, Consumer<@Nullable TransactionError> answer);
    }

    /** A send that waits for its turn. Container's loop only. */
    interface Held extends LoopTask {
        /** In its turn among the producer's sends. */
        void goOn();

        /** Its transaction goes on and has this partition, or it is in none. */
        void append();

        /** The coordinator does not know that the transaction goes on and is here, too. */
        void unverified(TransactionError why);
    }

    private final PartitionLog log;
    private final Participant partition;
    private final Coordinator coordinator;
    private final VerifiedTransactions verified = new VerifiedTransactions();
    private final ArrayDeque<Held> behind = new ArrayDeque<>(0);

    /** The send that asks, for which transaction, and what the partition was told; null while none does. */
    private @Nullable Asking asking;

    private record Asking(
            Held send,
            SingleTransaction transaction,
            PartitionTransactions transactions,
            Verification asked,
            int questionsLeft) {}

    SendVerification(PartitionLog log, Participant partition, Coordinator coordinator) {
        this.log = log;
        this.partition = partition;
        this.coordinator = coordinator;
    }

    /** Whether the send has to wait for its turn, in which it will go on. */
    boolean holdsBack(Held send) {
        if (asking == null && behind.isEmpty()) {
            return false;
        }
        behind.add(send);
        return true;
    }

    /**
     * Whether the producer may send in the transaction, which is open in the partition: others may have opened it there, so each producer
     * has it verified.
     */
    boolean allows(SingleTransaction transaction) {
        return verified.contains(transaction) || coordinator.usesAll();
    }

    /** Has the send appended once the coordinator has said yes. */
    void ask(Held send, SingleTransaction transaction) {
        ask(send, transaction, MOST_QUESTIONS);
    }

    private void ask(Held send, SingleTransaction transaction, int questions) {
        PartitionTransactions here = log.createIfMissing().transactions();
        Verification asked = here.verify(transaction.producerId(), ProducerIds.SINGLE_EPOCH);
        asking = new Asking(send, transaction, here, asked, questions - 1);
        LoopQuestion.ask(log.container(), answer -> coordinator.verify(transaction, partition, answer), this);
    }

    @Override
    public void answered(@Nullable TransactionError why) {
        Asking now = Objects.requireNonNull(asking);
        asking = null;
        try {
            if (why != null) {
                now.send.unverified(why);
            } else if (now.transactions.verified(now.asked) || now.questionsLeft == 0) {
                verified.add(now.transaction);
                now.send.append();
            } else {
                ask(now.send, now.transaction, now.questionsLeft);
            }
        } finally {
            letGo();
        }
    }

    private void letGo() {
        while (asking == null && !behind.isEmpty()) {
            if (!log.container().hasRoomForAppend()) {
                log.container().executeAppend(this);
                return;
            }
            behind.remove().goOn();
        }
    }

    /** There is room for the next. */
    @Override
    public void run() {
        letGo();
    }

    @Override
    public boolean patient() {
        return true;
    }

    @Override
    public void abandoned(StoreFailure why) {
        Asking now = asking;
        asking = null;
        if (now != null) {
            now.send.abandoned(why);
        }
        for (Held send = behind.poll(); send != null; send = behind.poll()) {
            send.abandoned(why);
        }
    }
}
