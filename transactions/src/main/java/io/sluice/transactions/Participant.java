package io.sluice.transactions;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A partition that takes part in a transaction, or a subscription of one.
 *
 * @param topic as {@link KafkaNames} has it; the full name of a topic that Kafka's clients do not see
 * @param subscription null if it is the partition itself
 */
public record Participant(
        String topic, int partition, @Nullable String subscription) {
    /** In the state, between a topic and a subscription; no topic's name has it. */
    private static final char BEFORE_SUBSCRIPTION = '\n';

    public Participant(String topic, int partition) {
        this(topic, partition, null);
    }

    public static Participant of(TopicName topic, int partition) {
        return of(topic, partition, null);
    }

    public static Participant of(TopicName topic, int partition, @Nullable String subscription) {
        String name = KafkaNames.of(topic);
        return new Participant(name == null ? topic.toString() : name, partition, subscription);
    }

    /** As the state has it. */
    TopicPartition toKafka() {
        return new TopicPartition(subscription == null ? topic : topic + BEFORE_SUBSCRIPTION + subscription, partition);
    }

    /** The reverse of {@link #toKafka}. */
    static Participant of(TopicPartition kafka) {
        int end = kafka.topic().indexOf(BEFORE_SUBSCRIPTION);
        return end < 0
                ? new Participant(kafka.topic(), kafka.partition())
                : new Participant(
                        kafka.topic().substring(0, end),
                        kafka.partition(),
                        kafka.topic().substring(end + 1));
    }

    /** @throws TopicException it names no topic */
    public TopicName topicName() throws TopicException {
        return topic.contains("://") ? PulsarNames.parse(topic).topic() : KafkaNames.parse(topic);
    }
}
