package io.sluice.kafka.coordinator;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Topics as Kafka's groups see them. Any thread; answered from memory. */
public interface GroupTopics {
    /** The name Kafka clients know the topic by; null if they cannot see it. */
    @Nullable
    String kafkaName(TopicName name);

    /** Null if there is no such topic. */
    @Nullable
    Topic find(String kafkaName);

    /** Null if there is no such topic. */
    @Nullable
    Topic find(Uuid id);

    static Uuid idOf(Topic topic) {
        return new Uuid(topic.id().getMostSignificantBits(), topic.id().getLeastSignificantBits());
    }
}
