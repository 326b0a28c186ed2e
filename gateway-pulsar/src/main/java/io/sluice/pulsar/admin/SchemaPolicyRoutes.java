package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;

import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.Policy;
import io.sluice.pulsar.namespace.TopicPolicies;
import java.io.IOException;
import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;
import org.jspecify.annotations.Nullable;

/** Policies of namespaces and topics for schemas; see {@link io.sluice.pulsar.services.SchemaPolicies} for which holds. */
final class SchemaPolicyRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/";
    private static final String STRATEGY = "schemaCompatibilityStrategy";
    private static final String OLDER_STRATEGY = "schemaAutoUpdateCompatibilityStrategy";
    private static final String UPDATES = "isAllowAutoUpdateSchema";
    private static final String ENFORCED = "schemaValidationEnforced";

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final NamespacePolicies policies;
    private final TopicPolicyRoutes ofTopics;

    SchemaPolicyRoutes(AdminTopics topics, PlaceRoutes places, TopicPolicyRoutes ofTopics) {
        this.ofTopics = ofTopics;
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

        Policy<SchemaCompatibilityStrategy> strategy = TopicPolicies.SCHEMA_STRATEGY;
        ofTopics.get(routes, STRATEGY, this::strategy);
        ofTopics.put(routes, STRATEGY, (topic, r) -> set(topic, strategy, given(r.body(), strategy)));
        ofTopics.delete(routes, STRATEGY, (topic, r) -> set(topic, strategy, null));
        Policy<Boolean> enforced = TopicPolicies.SCHEMA_ENFORCED;
        ofTopics.get(routes, ENFORCED, this::enforced);
        ofTopics.post(routes, ENFORCED, (topic, r) -> set(topic, enforced, given(r.body(), enforced)));
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

    private Object strategy(PolicyHolder topic, AdminRequest r) {
        return r.flag("applied")
                ? topics.services()
                        .schemaPolicies()
                        .of(topic.name(), topic.settings())
                        .strategy()
                : PolicyRoutes.orNothing(TopicPolicies.SCHEMA_STRATEGY.in(topic.settings()));
    }

    private Object enforced(PolicyHolder topic, AdminRequest r) {
        return r.flag("applied")
                ? topics.services().schemaPolicies().isEnforced(topic.name(), topic.settings())
                : Boolean.TRUE.equals(TopicPolicies.SCHEMA_ENFORCED.in(topic.settings()));
    }

    private static <T> @Nullable Object set(PolicyHolder topic, Policy<T> policy, @Nullable T value)
            throws AdminException, IOException {
        topic.change(settings -> policy.set(settings, value));
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
