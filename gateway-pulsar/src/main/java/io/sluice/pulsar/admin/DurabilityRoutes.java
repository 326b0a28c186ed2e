package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code .../:topic/durability}: the topic's level, 1 to 4, shared with Kafka's {@code sluice.durability}; {@code .../:namespace/durability}:
 * that of the namespace's topics that have none of their own. Not Pulsar's. Answered when the topics' partitions are where the level wants them.
 */
final class DurabilityRoutes {
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic/durability";

    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/durability";

    private final AdminTopics topics;
    private final PlaceRoutes places;

    DurabilityRoutes(AdminTopics topics, PlaceRoutes places) {
        this.topics = topics;
        this.places = places;
    }

    void add(Routes routes) {
        routes.wholeTopic(DESCRIBE_CONFIGS).get(TOPIC, this::get);
        var change = routes.wholeTopic(ALTER_CONFIGS);
        change.post(TOPIC, this::set);
        change.delete(TOPIC, r -> change(r, null));
        routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE, this::ofNamespace);
        var changeNamespace = routes.namespace(ALTER_CONFIGS);
        changeNamespace.post(NAMESPACE, r -> changeNamespace(r, Integer.valueOf(levelIn(r.body()))));
        changeNamespace.delete(NAMESPACE, r -> changeNamespace(r, null));
    }

    private Object ofNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        Integer level = topics.services().catalogue().namespaces().of(r.tenant(), r.namespace());
        return level == null ? Routes.NOTHING : level;
    }

    private @Nullable Object changeNamespace(AdminRequest r, @Nullable Integer level)
            throws AdminException, IOException {
        places.requireNamespace(r);
        await(
                topics.services().catalogue().namespaces().set(r.tenant(), r.namespace(), level),
                "the namespace has its level, and some of its partitions are still on their way to it");
        return null;
    }

    private Object get(TopicRequest r) throws AdminException {
        String level = topics.topic(r).settings().get(Topic.DURABILITY);
        return level == null ? Routes.NOTHING : Integer.valueOf(level);
    }

    private @Nullable Object set(TopicRequest r) throws AdminException {
        return change(r, levelIn(r.body()));
    }

    private static String levelIn(String body) throws AdminException {
        String level = body.strip();
        if (!Topic.isDurability(level)) {
            throw new AdminException(
                    400, "the request's body must be a level of durability, 1 to " + Topic.LEAST_DURABLE);
        }
        return level;
    }

    private @Nullable Object change(TopicRequest r, @Nullable String level) throws AdminException {
        Topic topic = topics.topic(r);
        Map<String, String> settings = new HashMap<>(topic.settings());
        settings.remove(Topic.DURABILITY);
        if (level != null) {
            settings.put(Topic.DURABILITY, level);
        }
        await(topics.services().catalogue().configure(topic.name(), settings));
        return null;
    }
}
