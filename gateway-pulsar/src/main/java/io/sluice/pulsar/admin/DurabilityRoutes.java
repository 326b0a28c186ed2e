package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;

import io.sluice.broker.topic.Topic;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code .../:topic/durability}: the topic's level, 1 to 4, shared with Kafka's {@code sluice.durability}. Not Pulsar's. Answered when
 * the topic's partitions are where the level wants them.
 */
final class DurabilityRoutes {
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic/durability";

    private final AdminTopics topics;

    DurabilityRoutes(AdminTopics topics) {
        this.topics = topics;
    }

    void add(Routes routes) {
        routes.wholeTopic(DESCRIBE_CONFIGS).get(TOPIC, this::get);
        var change = routes.wholeTopic(ALTER_CONFIGS);
        change.post(TOPIC, this::set);
        change.delete(TOPIC, r -> change(r, null));
    }

    private Object get(TopicRequest r) throws AdminException {
        String level = topics.topic(r).settings().get(Topic.DURABILITY);
        return level == null ? Routes.NOTHING : Integer.valueOf(level);
    }

    private @Nullable Object set(TopicRequest r) throws AdminException {
        String level = r.body().strip();
        if (!Topic.isDurability(level)) {
            throw new AdminException(
                    400, "the request's body must be a level of durability, 1 to " + Topic.LEAST_DURABLE);
        }
        return change(r, level);
    }

    private @Nullable Object change(TopicRequest r, @Nullable String level) throws AdminException {
        Topic topic = topics.topic(r);
        Map<String, String> settings = new HashMap<>(topic.settings());
        settings.remove(Topic.DURABILITY);
        if (level != null) {
            settings.put(Topic.DURABILITY, level);
        }
        LoopCalls.await(topics.services().catalogue().configure(topic.name(), settings));
        return null;
    }
}
