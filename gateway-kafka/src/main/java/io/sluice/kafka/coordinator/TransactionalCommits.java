package io.sluice.kafka.coordinator;

import io.sluice.kafka.api.ProduceTransactions.Use;
import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;

/** Port: whether a producer's transaction goes on and has a partition of group offsets. Any thread; does not block. */
public interface TransactionalCommits {
    /** Without transactions. */
    TransactionalCommits NONE =
            (transactionalId, producer, partition, use, answer) -> answer.accept(Errors.INVALID_TXN_STATE);

    /** @param answer called once, now or later, on any thread */
    void check(
            String transactionalId, ProducerIdentity producer, Participant partition, Use use, Consumer<Errors> answer);
}
