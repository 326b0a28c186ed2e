package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;

import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.Policy;
import io.sluice.pulsar.namespace.TopicPolicies;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * {@code deduplicationSnapshotInterval} of namespaces and topics. It is kept and given back, and there is nothing to do for it: what a named producer
 * has sent is stored with each message, so it is known after a failure whatever the interval.
 */
final class SnapshotIntervalRoutes {
    private static final String NAME = "deduplicationSnapshotInterval";
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/" + NAME;
    private static final Policy<Integer> INTERVAL = TopicPolicies.DEDUPLICATION_SNAPSHOT_INTERVAL;

    private final PlaceRoutes places;
    private final NamespacePolicies policies;
    private final TopicPolicyRoutes ofTopics;

    SnapshotIntervalRoutes(AdminTopics topics, PlaceRoutes places, TopicPolicyRoutes ofTopics) {
        this.ofTopics = ofTopics;
        this.places = places;
        this.policies = topics.services().policies();
    }

    void add(Routes routes) {
        routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE, this::ofNamespace);
        routes.namespace(ALTER_CONFIGS).post(NAMESPACE, this::setNamespace);
        ofTopics.get(routes, NAME, (topic, r) -> PolicyRoutes.orNothing(INTERVAL.in(topic.settings())));
        ofTopics.post(routes, NAME, (topic, r) -> setTopic(topic, given(r.body())));
        ofTopics.delete(routes, NAME, (topic, r) -> setTopic(topic, null));
    }

    /** Seconds; null to have none, which an empty body says. */
    private static @Nullable Integer given(String body) throws AdminException {
        Integer given = PolicyRoutes.read(body, Integer.class);
        if (given != null) {
            PolicyTable.check(INTERVAL, given, 412);
        }
        return given;
    }

    private Object ofNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        return PolicyRoutes.orNothing(INTERVAL.ofNamespace(policies.of(r.tenant(), r.namespace())));
    }

    private @Nullable Object setNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        Integer given = given(r.body());
        policies.change(r.tenant(), r.namespace(), p -> INTERVAL.set(p, given));
        return null;
    }

    private static @Nullable Object setTopic(PolicyHolder topic, @Nullable Integer seconds)
            throws AdminException, IOException {
        topic.change(settings -> INTERVAL.set(settings, seconds));
        return null;
    }
}
