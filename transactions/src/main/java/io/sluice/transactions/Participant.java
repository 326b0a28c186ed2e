package io.sluice.transactions;

/**
 * A partition that takes part in a transaction.
 *
 * @param topic as {@link io.sluice.broker.topic.KafkaNames} has it
 */
public record Participant(String topic, int partition) {}
