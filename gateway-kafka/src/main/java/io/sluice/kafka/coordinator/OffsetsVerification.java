package io.sluice.kafka.coordinator;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Verification;
import io.sluice.kafka.api.ProduceTransactions.Use;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.storage.internals.log.VerificationGuard;

/**
 * Before a group's offsets are written in a transaction: asks the partition, then the transaction's coordinator, and tells the
 * partition. The marker of the producer's last transaction may come meanwhile; then all is asked again.
 *
 * @param attempts how often it may be asked
 */
record OffsetsVerification(
        PartitionLog log,
        TopicPartition partition,
        String transactionalId,
        ProducerIdentity producer,
        Use use,
        TransactionalCommits transactions,
        int attempts,
        CompletableFuture<VerificationGuard> done)
        implements LoopTask {
    @Override
    public void run() {
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
        log.container().execute(new LoopTask() {
            @Override
            public void run() {
                if (log.transactions().verified(asked)) {
                    done.complete(VerificationGuard.SENTINEL);
                } else if (attempts > 1) {
                    again().run();
                } else {
                    done.completeExceptionally(Errors.CONCURRENT_TRANSACTIONS.exception());
                }
            }

            @Override
            public void abandoned(StoreFailure why) {
                OffsetsVerification.this.abandoned(why);
            }
        });
    }

    private OffsetsVerification again() {
        return new OffsetsVerification(
                log, partition, transactionalId, producer, use, transactions, attempts - 1, done);
    }

    @Override
    public void abandoned(StoreFailure why) {
        done.completeExceptionally(CoordinatorErrors.of(why));
    }
}
