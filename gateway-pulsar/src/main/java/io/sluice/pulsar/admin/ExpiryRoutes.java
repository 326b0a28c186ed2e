package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.hub.ExpireMessages;
import io.sluice.pulsar.namespace.MessageTtl;
import io.sluice.pulsar.namespace.NamespacePolicies;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Messages that expire: {@code messageTTL} of namespaces and topics, and those that subscriptions are to have no more, by their age. */
final class ExpiryRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/messageTTL";
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic";

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final NamespacePolicies policies;
    private final MessageTtl ttl;

    ExpiryRoutes(AdminTopics topics, PlaceRoutes places) {
        this.topics = topics;
        this.places = places;
        this.policies = topics.services().policies();
        this.ttl = topics.services().ttl();
    }

    void add(Routes routes) {
        routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE, this::ofNamespace);
        var change = routes.namespace(ALTER_CONFIGS);
        change.post(NAMESPACE, r -> setNamespace(r, seconds(PolicyRoutes.read(r.body(), Integer.class))));
        change.delete(NAMESPACE, r -> setNamespace(r, null));
        routes.wholeTopic(DESCRIBE_CONFIGS).get(TOPIC + "/messageTTL", this::ofTopic);
        var changeTopic = routes.wholeTopic(ALTER_CONFIGS);
        changeTopic.post(TOPIC + "/messageTTL", r -> {
            String given = r.find("messageTTL");
            return setTopic(r, seconds(given == null ? null : Integer.valueOf(given)));
        });
        changeTopic.delete(TOPIC + "/messageTTL", r -> setTopic(r, null));
        var read = routes.topic(READ);
        read.post(TOPIC + "/subscription/:subscription/expireMessages/:seconds", r -> expire(r, r.get("subscription")));
        read.post(TOPIC + "/all_subscription/expireMessages/:seconds", r -> expire(r, null));
    }

    static @Nullable Integer seconds(@Nullable Integer given) throws AdminException {
        if (given != null && given < 0) {
            throw new AdminException(412, "Invalid value for message TTL");
        }
        return given;
    }

    private Object ofNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        return PolicyRoutes.orNothing(policies.of(r.tenant(), r.namespace()).messageTtl());
    }

    private @Nullable Object setNamespace(AdminRequest r, @Nullable Integer seconds)
            throws AdminException, IOException {
        places.requireNamespace(r);
        policies.change(r.tenant(), r.namespace(), p -> p.withMessageTtl(seconds));
        return null;
    }

    private Object ofTopic(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        return r.flag("applied") ? ttl.of(topic) : PolicyRoutes.orNothing(MessageTtl.ofTopic(topic));
    }

    private @Nullable Object setTopic(TopicRequest r, @Nullable Integer seconds) throws AdminException {
        Topic topic = topics.topic(r);
        await(topics.services().catalogue().configure(topic.name(), MessageTtl.set(topic, seconds)));
        return null;
    }

    /** In every partition, whichever node serves it. */
    private @Nullable Object expire(TopicRequest r, @Nullable String subscription) throws AdminException {
        long millis = TimeUnit.SECONDS.toMillis(Math.max(0, Integer.parseInt(r.get("seconds"))));
        topics.each(
                r,
                part -> {
                    if (!await(ExpireMessages.in(topics.services().hubs(), part.log(), subscription, millis))) {
                        throw new AdminException(404, "Subscription not found");
                    }
                    return Routes.NOTHING;
                },
                OtherNode::same);
        return null;
    }
}
