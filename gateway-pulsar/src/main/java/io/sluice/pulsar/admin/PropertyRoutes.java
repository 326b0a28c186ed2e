package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;

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

    private final PlaceRoutes places;
    private final NamespacePolicies policies;
    private final TopicPolicyRoutes ofTopics;

    PropertyRoutes(AdminTopics topics, PlaceRoutes places, TopicPolicyRoutes ofTopics) {
        this.ofTopics = ofTopics;
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
        ofTopics.get(routes, "properties", (topic, r) -> of(kept(topic).settings()));
        ofTopics.put(routes, "properties", (topic, r) -> addToTopic(kept(topic), in(r.json())));
        ofTopics.delete(routes, "properties", (topic, r) -> removeOfTopic(kept(topic), r));
    }

    /** As in Pulsar others have none. */
    private static PolicyHolder kept(PolicyHolder topic) throws AdminException {
        if (topic instanceof PolicyHolder.Kept) {
            return topic;
        }
        throw new AdminException(406, "Need to provide a persistent topic name");
    }

    /** Properties in a request's body. */
    static Map<String, String> in(JsonObject body) {
        Map<String, String> properties = new HashMap<>();
        body.forEach(each -> properties.put(each.getKey(), String.valueOf(each.getValue())));
        return properties;
    }

    static Map<String, String> of(Map<String, String> settings) {
        Map<String, String> properties = TopicPolicies.PROPERTIES.in(settings);
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

    private static @Nullable Object addToTopic(PolicyHolder topic, Map<String, String> more)
            throws AdminException, IOException {
        ShadowTopicRoutes.checkChange(of(topic.settings()), more);
        return change(topic, with(more));
    }

    private static @Nullable Object removeOfTopic(PolicyHolder topic, AdminRequest r)
            throws AdminException, IOException {
        String key = r.find("key");
        if (key == null || key.isEmpty()) {
            throw new AdminException(412, "Key is required");
        }
        ShadowTopicRoutes.checkRemoval(of(topic.settings()), key);
        return change(topic, without(key));
    }

    private static @Nullable Object change(PolicyHolder topic, UnaryOperator<Map<String, String>> change)
            throws AdminException, IOException {
        topic.change(settings -> TopicPolicies.PROPERTIES.set(settings, change.apply(of(settings))));
        return null;
    }
}
