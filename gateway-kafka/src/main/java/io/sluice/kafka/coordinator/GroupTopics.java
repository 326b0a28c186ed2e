package io.sluice.kafka.coordinator;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** The catalogue's topics by the names and ids that Kafka's groups use. Any thread; answered from memory. */
public record GroupTopics(TopicCatalogue catalogue) {
    public static String nameOf(TopicName name) {
        return name.inDefaultNamespace() ? name.local() : name.tenant() + "/" + name.namespace() + "/" + name.local();
    }

    public static Uuid idOf(Topic topic) {
        return new Uuid(topic.id().getMostSignificantBits(), topic.id().getLeastSignificantBits());
    }

    /** Null if there is no such topic. */
    public @Nullable Topic find(String name) {
        return catalogue.find(TopicName.ofDefault(name));
    }

    /** Null if there is no such topic. */
    public @Nullable Topic find(Uuid id) {
        return catalogue.find(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()));
    }
}
