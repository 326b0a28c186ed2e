package io.sluice.kafka.handler;

import io.sluice.broker.log.PartitionTransactions.Verification;
import io.sluice.kafka.api.ProduceTransactions;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;

/**
 * The transaction that a produce request says it is of, for one partition.
 *
 * @param topic its name in Kafka
 */
record ProduceTransaction(
        ProduceTransactions coordinator, String id, ProduceTransactions.Use use, String topic, int partition) {
    /** Whether the producer has a new epoch for each transaction. */
    boolean bumps() {
        return use == ProduceTransactions.Use.ADD;
    }

    /** @param answer see {@link ProduceTransactions#verify} */
    void verify(Verification asked, Consumer<Errors> answer) {
        coordinator.verify(id, asked.producerId(), asked.epoch(), topic, partition, use, answer);
    }
}
