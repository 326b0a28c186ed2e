package io.sluice.transactions;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;

/**
 * A partition that takes part in a transaction.
 *
 * @param topic as {@link KafkaNames} has it; the full name of a topic that Kafka's clients do not see
 */
public record Participant(String topic, int partition) {
    public static Participant of(TopicName topic, int partition) {
        String name = KafkaNames.of(topic);
        return new Participant(name == null ? topic.toString() : name, partition);
    }

    /** @throws TopicException it names no topic */
    TopicName topicName() throws TopicException {
        return topic.contains("://") ? PulsarNames.parse(topic).topic() : KafkaNames.parse(topic);
    }
}
