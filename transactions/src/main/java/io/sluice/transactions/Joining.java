package io.sluice.transactions;

import org.apache.kafka.common.TopicPartition;

/**
 * A partition that a producer adds by writing to it, and that may wait for a change of the id to be made.
 *
 * @param deadline until when, milliseconds since the epoch
 */
record Joining(
        ProducerIdentity producer,
        TopicPartition partition,
        long deadline,
        TransactionShard.Answer<ProducerIdentity> answer) {}
