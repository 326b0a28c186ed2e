package io.sluice.kafka.api;

import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionError;
import java.util.List;
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
        Participant participant = new Participant(topic, partition);
        check(
                transactionalId,
                new ProducerIdentity(producerId, epoch),
                participant,
                use,
                error -> answer.accept(toProducer(error)));
    }

    /** As {@link #verify}, with the coordinator's own words. */
    public void check(
            String transactionalId,
            ProducerIdentity producer,
            Participant partition,
            Use use,
            Consumer<Errors> answer) {
        if (use == Use.ADD) {
            authority
                    .join(transactionalId, producer, List.of(partition), true, WAIT_MILLIS)
                    .whenComplete((joined, failure) -> answer.accept(
                            failure == null ? Errors.NONE : forWriter(TransactionAuthority.errorOf(failure), use)));
        } else {
            authority.verify(
                    transactionalId,
                    producer,
                    partition,
                    error -> answer.accept(error == null ? Errors.NONE : forWriter(error, use)));
        }
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
}
