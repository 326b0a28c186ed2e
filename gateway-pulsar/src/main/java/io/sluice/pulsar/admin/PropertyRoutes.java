package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Properties of namespaces and topics: names and texts that people keep there. */
final class PropertyRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace";
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic/properties";

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final NamespacePolicies policies;

    PropertyRoutes(AdminTopics topics, PlaceRoutes places) {
        this.topics = topics;
        this.places = places;
        this.policies = topics.services().policies();
    }

    void add(Routes routes) {
        var look = routes.namespace(DESCRIBE_CONFIGS);
        look.get(NAMESPACE + "/properties", this::ofNamespace);
        look.get(NAMESPACE + "/property/:key", this::one);
        var change = routes.namespace(ALTER_CONFIGS);
        change.put(NAMESPACE + "/properties", r -> change(r, with(in(r.json()))));
        change.delete(NAMESPACE + "/properties", r -> change(r, all -> Map.of()));
        change.put(NAMESPACE + "/property/:key/:value", r -> change(r, with(Map.of(r.get("key"), r.get("value")))));
        change.delete(NAMESPACE + "/property/:key", this::removeOne);
        routes.wholeTopic(DESCRIBE_CONFIGS).get(TOPIC, r -> of(topics.topic(r)));
        var changeTopic = routes.wholeTopic(ALTER_CONFIGS);
        changeTopic.put(TOPIC, r -> change(r, with(in(r.json()))));
        changeTopic.delete(TOPIC, this::removeOfTopic);
    }

    /** Properties in a request's body. */
    static Map<String, String> in(JsonObject body) {
        Map<String, String> properties = new HashMap<>();
        body.forEach(each -> properties.put(each.getKey(), String.valueOf(each.getValue())));
        return properties;
    }

    static Map<String, String> of(Topic topic) {
        Map<String, String> properties = TopicPolicies.PROPERTIES.ofTopic(topic);
        return properties == null ? Map.of() : properties;
    }

    private static UnaryOperator<Map<String, String>> with(Map<String, String> more) {
        return all -> {
            Map<String, String> sum = new HashMap<>(all);
            sum.putAll(more);
            return sum;
        };
    }

    private static UnaryOperator<Map<String, String>> without(String key) {
        return all -> {
            Map<String, String> rest = new HashMap<>(all);
            rest.remove(key);
            return rest;
        };
    }

    private Map<String, String> ofNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        Map<String, String> properties = TopicPolicies.PROPERTIES.ofNamespace(policies.of(r.tenant(), r.namespace()));
        return properties == null ? Map.of() : properties;
    }

    private Object one(AdminRequest r) throws AdminException, IOException {
        return PolicyRoutes.orNothing(ofNamespace(r).get(r.get("key")));
    }

    private Object removeOne(AdminRequest r) throws AdminException, IOException {
        String old = ofNamespace(r).get(r.get("key"));
        change(r, without(r.get("key")));
        return PolicyRoutes.orNothing(old);
    }

    private @Nullable Object change(AdminRequest r, UnaryOperator<Map<String, String>> change)
            throws AdminException, IOException {
        places.requireNamespace(r);
        policies.change(r.tenant(), r.namespace(), p -> {
            Map<String, String> old = TopicPolicies.PROPERTIES.ofNamespace(p);
            return TopicPolicies.PROPERTIES.set(p, change.apply(old == null ? Map.of() : old));
        });
        return null;
    }

    private @Nullable Object removeOfTopic(TopicRequest r) throws AdminException {
        String key = r.find("key");
        if (key == null || key.isEmpty()) {
            throw new AdminException(412, "Key is required");
        }
        return change(r, without(key));
    }

    private @Nullable Object change(TopicRequest r, UnaryOperator<Map<String, String>> change) throws AdminException {
        Topic topic = topics.topic(r);
        Map<String, String> settings = TopicPolicies.PROPERTIES.set(topic, change.apply(of(topic)));
        await(topics.services().catalogue().configure(topic.name(), settings));
        return null;
    }
}
