package io.sluice.kafka.format;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;
import org.jspecify.annotations.Nullable;

/** Names of topics as Kafka clients see them; docs/adr/0006. */
public final class TopicNames {
    private TopicNames() {}

    /** A topic that has no Kafka name (it would be too long) goes by its full one, under which Kafka clients cannot find it. */
    public static String toKafka(TopicName name) {
        String kafka = KafkaNames.of(name);
        return kafka == null ? name.toString() : kafka;
    }

    /** Whether Kafka clients are told of the topic. */
    public static boolean isVisible(TopicName name) {
        return KafkaNames.of(name) != null;
    }

    /** Null if no topic can have this Kafka name. */
    public static @Nullable TopicName fromKafka(String name) {
        try {
            return KafkaNames.parse(name);
        } catch (TopicException e) {
            return null;
        }
    }

    /** Whether the name is kept for a topic of the system, there or not. */
    public static boolean isReserved(String name) {
        TopicName topic = fromKafka(name);
        return topic != null && KafkaNames.isReserved(topic);
    }

    /** Why a topic of this name cannot be created over Kafka; null if it can, as far as the name goes. */
    public static @Nullable String whyNotCreatable(String name) {
        try {
            Topic.validate(name);
            PulsarNames.check(KafkaNames.parse(name));
            return null;
        } catch (InvalidTopicException | TopicException e) {
            return e.getMessage();
        }
    }
}
