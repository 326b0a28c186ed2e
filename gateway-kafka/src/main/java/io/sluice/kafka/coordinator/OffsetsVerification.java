package io.sluice.kafka.coordinator;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Verification;
import io.sluice.kafka.api.ProduceTransactions.Use;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.LoopTask;
import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.storage.internals.log.VerificationGuard;

/**
 * Before a group's offsets are written in a transaction: asks the partition, then the transaction's coordinator, and tells the
 * partition. The marker of the producer's last transaction may come meanwhile; then all is asked again.
 *
 * @param attempts how often it may be asked
 * @param done fails as the transaction's coordinator says, or with a {@code StoreException}
 */
record OffsetsVerification(
        PartitionLog log,
        TopicPartition partition,
        String transactionalId,
        ProducerIdentity producer,
        Use use,
        TransactionalCommits transactions,
        int attempts,
        Answer<VerificationGuard> done) {
    /** On the loop. */
    void start() {
        if (log.transactions().isOpen(producer.id(), producer.epoch())) {
            done.complete(VerificationGuard.SENTINEL);
            return;
        }
        Verification asked = log.transactions().verify(producer.id(), producer.epoch());
        Participant participant = new Participant(partition.topic(), partition.partition());
        transactions.check(transactionalId, producer, participant, use, answer -> answered(asked, answer));
    }

    private void answered(Verification asked, Errors answer) {
        if (answer != Errors.NONE) {
            done.completeExceptionally(answer.exception());
            return;
        }
        log.container()
                .execute(LoopTask.of(
                        () -> {
                            if (log.transactions().verified(asked)) {
                                done.complete(VerificationGuard.SENTINEL);
                            } else if (attempts > 1) {
                                again().start();
                            } else {
                                done.completeExceptionally(Errors.CONCURRENT_TRANSACTIONS.exception());
                            }
                        },
                        done::fail));
    }

    private OffsetsVerification again() {
        return new OffsetsVerification(
                log, partition, transactionalId, producer, use, transactions, attempts - 1, done);
    }
}
