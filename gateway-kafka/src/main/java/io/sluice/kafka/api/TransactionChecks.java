package io.sluice.kafka.api;

import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionError;
import io.sluice.transactions.TransactionQuestion;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;

/** Asks the authority of this server, in the words of each API that writes in transactions. */
public final class TransactionChecks implements ProduceTransactions {
    /** How long a partition waits to be added while the producer's last transaction is being ended; Kafka's figure, for Produce. */
    public static final long WAIT_MILLIS = 100;

    private final TransactionAuthority authority;

    public TransactionChecks(TransactionAuthority authority) {
        this.authority = authority;
    }

    @Override
    public void verify(
            String transactionalId,
            long producerId,
            short epoch,
            String topic,
            int partition,
            Use use,
            Consumer<Errors> answer) {
        ProducerIdentity producer = new ProducerIdentity(producerId, epoch);
        Participant participant = new Participant(topic, partition);
        ask(transactionalId, producer, participant, use, error -> answer.accept(toProducer(error)));
    }

    /** As {@link #verify}, for a member of a group that commits offsets. */
    public void check(
            String transactionalId,
            ProducerIdentity producer,
            Participant partition,
            Use use,
            Consumer<Errors> answer) {
        ask(transactionalId, producer, partition, use, error -> answer.accept(toMember(error)));
    }

    /**
     * As {@link #check}, of a subscription of Pulsar's, which is added by this whatever the client's version.
     *
     * @param bumps whether the producer has a new epoch after each transaction
     */
    public void join(
            String transactionalId,
            ProducerIdentity producer,
            Participant subscription,
            boolean bumps,
            Consumer<Errors> answer) {
        var adding = new TransactionQuestion.Adding(bumps, WAIT_MILLIS);
        ask(new TransactionQuestion(transactionalId, producer, subscription, adding), Use.ADD, error -> {
            // earlier clients have not heard of the first
            boolean passes = error == Errors.CONCURRENT_TRANSACTIONS;
            answer.accept(passes ? Errors.COORDINATOR_LOAD_IN_PROGRESS : toMember(error));
        });
    }

    private void ask(
            String transactionalId,
            ProducerIdentity producer,
            Participant partition,
            Use use,
            Consumer<Errors> answer) {
        var adding = use == Use.ADD ? new TransactionQuestion.Adding(true, WAIT_MILLIS) : null;
        ask(new TransactionQuestion(transactionalId, producer, partition, adding), use, answer);
    }

    private void ask(TransactionQuestion question, Use use, Consumer<Errors> answer) {
        authority.ask(question, error -> answer.accept(error == null ? Errors.NONE : forWriter(error, use)));
    }

    private static Errors forWriter(TransactionError error, Use use) {
        return switch (error) {
            case FENCED -> Errors.INVALID_PRODUCER_EPOCH;
            case NOT_A_PARTICIPANT -> use == Use.VERIFY_OLD ? Errors.INVALID_TXN_STATE : Errors.TRANSACTION_ABORTABLE;
            default -> KafkaErrors.of(error);
        };
    }

    /** Producers do not look for a coordinator on Produce: what may pass they are told to retry. */
    private static Errors toProducer(Errors error) {
        return switch (error) {
            case CONCURRENT_TRANSACTIONS, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR ->
                Errors.NOT_ENOUGH_REPLICAS;
            default -> error;
        };
    }

    /** Members know the group's coordinator, which is here: for that of the transaction they wait, and do not look for another. */
    private static Errors toMember(Errors error) {
        return switch (error) {
            case COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> Errors.COORDINATOR_LOAD_IN_PROGRESS;
            default -> error;
        };
    }
}
