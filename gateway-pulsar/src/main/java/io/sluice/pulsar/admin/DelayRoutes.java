package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.namespace.DelayedDelivery;
import io.sluice.pulsar.namespace.NamespacePolicies;
import java.io.IOException;
import org.apache.pulsar.common.policies.data.impl.DelayedDeliveryPoliciesImpl;
import org.jspecify.annotations.Nullable;

/** {@code .../delayedDelivery} of namespaces and topics: whether messages wait for their time, and how long they may. */
final class DelayRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/delayedDelivery";
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic/delayedDelivery";

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final NamespacePolicies policies;

    DelayRoutes(AdminTopics topics, PlaceRoutes places) {
        this.topics = topics;
        this.places = places;
        this.policies = topics.services().policies();
    }

    void add(Routes routes) {
        routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE, this::ofNamespace);
        var change = routes.namespace(ALTER_CONFIGS);
        change.post(NAMESPACE, r -> setNamespace(r, policy(r.body())));
        change.delete(NAMESPACE, r -> setNamespace(r, null));
        routes.wholeTopic(DESCRIBE_CONFIGS).get(TOPIC, this::ofTopic);
        var changeTopic = routes.wholeTopic(ALTER_CONFIGS);
        changeTopic.post(TOPIC, r -> setTopic(r, policy(r.body())));
        changeTopic.delete(TOPIC, r -> setTopic(r, null));
    }

    private static @Nullable DelayedDeliveryPoliciesImpl policy(String body) {
        return PolicyRoutes.read(body, DelayedDeliveryPoliciesImpl.class);
    }

    private Object ofNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        return PolicyRoutes.orNothing(policies.of(r.tenant(), r.namespace()).delayedDelivery());
    }

    private @Nullable Object setNamespace(AdminRequest r, @Nullable DelayedDeliveryPoliciesImpl policy)
            throws AdminException, IOException {
        places.requireNamespace(r);
        policies.change(r.tenant(), r.namespace(), p -> p.withDelayedDelivery(policy));
        return null;
    }

    private Object ofTopic(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        return r.flag("applied")
                ? topics.services().delays().of(topic.name())
                : PolicyRoutes.orNothing(DelayedDelivery.ofTopic(topic));
    }

    private @Nullable Object setTopic(TopicRequest r, @Nullable DelayedDeliveryPoliciesImpl policy)
            throws AdminException {
        Topic topic = topics.topic(r);
        await(topics.services().catalogue().configure(topic.name(), DelayedDelivery.set(topic, policy)));
        return null;
    }
}
