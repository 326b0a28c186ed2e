package io.sluice.transactions;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Partitions that a producer adds to its transaction, which may wait for a change of the id to be made.
 *
 * @param bumps whether the producer has a new epoch after each transaction
 * @param deadline until when, milliseconds since the epoch
 */
record Joining(
        ProducerIdentity producer, boolean bumps, Set<TopicPartition> partitions, long deadline, CallAnswer answer) {

    /** Partitions of the same producer are added together. */
    Producer key() {
        return new Producer(producer, bumps);
    }

    record Producer(ProducerIdentity identity, boolean bumps) {}
}
