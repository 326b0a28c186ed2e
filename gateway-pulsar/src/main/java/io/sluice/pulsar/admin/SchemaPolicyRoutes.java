package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.Policy;
import io.sluice.pulsar.namespace.TopicPolicies;
import java.io.IOException;
import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;
import org.jspecify.annotations.Nullable;

/** Policies of namespaces and topics for schemas; see {@link io.sluice.pulsar.services.SchemaPolicies} for which holds. */
final class SchemaPolicyRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/";
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic/";
    private static final String STRATEGY = "schemaCompatibilityStrategy";
    private static final String OLDER_STRATEGY = "schemaAutoUpdateCompatibilityStrategy";
    private static final String UPDATES = "isAllowAutoUpdateSchema";
    private static final String ENFORCED = "schemaValidationEnforced";

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final NamespacePolicies policies;

    SchemaPolicyRoutes(AdminTopics topics, PlaceRoutes places) {
        this.topics = topics;
        this.places = places;
        this.policies = topics.services().policies();
    }

    void add(Routes routes) {
        var look = routes.namespace(DESCRIBE_CONFIGS);
        look.get(
                NAMESPACE + STRATEGY, r -> of(r, TopicPolicies.SCHEMA_STRATEGY, SchemaCompatibilityStrategy.UNDEFINED));
        look.get(NAMESPACE + OLDER_STRATEGY, r -> of(r, TopicPolicies.SCHEMA_UPDATE_STRATEGY, null));
        look.get(NAMESPACE + UPDATES, r -> of(r, TopicPolicies.SCHEMA_UPDATES, true));
        look.get(NAMESPACE + ENFORCED, r -> of(r, TopicPolicies.SCHEMA_ENFORCED, false));
        var change = routes.namespace(ALTER_CONFIGS);
        change.put(NAMESPACE + STRATEGY, r -> set(r, TopicPolicies.SCHEMA_STRATEGY));
        change.put(NAMESPACE + OLDER_STRATEGY, r -> set(r, TopicPolicies.SCHEMA_UPDATE_STRATEGY));
        change.post(NAMESPACE + UPDATES, r -> set(r, TopicPolicies.SCHEMA_UPDATES));
        change.post(NAMESPACE + ENFORCED, r -> set(r, TopicPolicies.SCHEMA_ENFORCED));

        var lookAtTopic = routes.wholeTopic(DESCRIBE_CONFIGS);
        lookAtTopic.get(TOPIC + STRATEGY, this::strategy);
        lookAtTopic.get(TOPIC + ENFORCED, this::enforced);
        var changeTopic = routes.wholeTopic(ALTER_CONFIGS);
        changeTopic.put(
                TOPIC + STRATEGY,
                r -> set(r, TopicPolicies.SCHEMA_STRATEGY, given(r.body(), TopicPolicies.SCHEMA_STRATEGY)));
        changeTopic.delete(TOPIC + STRATEGY, r -> set(r, TopicPolicies.SCHEMA_STRATEGY, null));
        changeTopic.post(
                TOPIC + ENFORCED,
                r -> set(r, TopicPolicies.SCHEMA_ENFORCED, given(r.body(), TopicPolicies.SCHEMA_ENFORCED)));
    }

    private <T> @Nullable Object of(AdminRequest r, Policy<T> policy, @Nullable Object otherwise)
            throws AdminException, IOException {
        places.requireNamespace(r);
        T value = policy.ofNamespace(policies.of(r.tenant(), r.namespace()));
        return value == null ? otherwise : value;
    }

    private <T> @Nullable Object set(AdminRequest r, Policy<T> policy) throws AdminException, IOException {
        places.requireNamespace(r);
        T value = given(r.body(), policy);
        policies.change(r.tenant(), r.namespace(), p -> policy.set(p, value));
        return null;
    }

    private Object strategy(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        return r.flag("applied")
                ? topics.services().schemaPolicies().of(topic).strategy()
                : PolicyRoutes.orNothing(TopicPolicies.SCHEMA_STRATEGY.ofTopic(topic));
    }

    private Object enforced(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        return r.flag("applied")
                ? topics.services().schemaPolicies().isEnforced(topic)
                : Boolean.TRUE.equals(TopicPolicies.SCHEMA_ENFORCED.ofTopic(topic));
    }

    private <T> @Nullable Object set(TopicRequest r, Policy<T> policy, @Nullable T value) throws AdminException {
        Topic topic = topics.topic(r);
        await(topics.services().catalogue().configure(topic.name(), policy.set(topic, value)));
        return null;
    }

    private static <T> T given(String body, Policy<T> policy) throws AdminException {
        T value = PolicyRoutes.read(body, policy.type());
        if (value == null) {
            throw new AdminException(400, "the request needs a body");
        }
        return value;
    }
}
