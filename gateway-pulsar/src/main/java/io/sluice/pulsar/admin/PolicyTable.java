package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;

import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.NamespacePolicy;
import io.sluice.pulsar.namespace.Policy;
import io.sluice.pulsar.namespace.TopicPolicies;
import java.io.IOException;
import java.util.Set;
import java.util.function.Function;
import org.apache.pulsar.common.policies.data.SubscriptionAuthMode;
import org.jspecify.annotations.Nullable;

/** Routes of policies that are one value each: got, set and removed, of a namespace and of a topic. A policy is a row. */
final class PolicyTable {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/";

    /** Status of a retention that is refused; that of others is 412. */
    static final int BAD_RETENTION = 400;

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final NamespacePolicies policies;
    private final TopicPolicyRoutes ofTopics;

    PolicyTable(AdminTopics topics, PlaceRoutes places, TopicPolicyRoutes ofTopics) {
        this.ofTopics = ofTopics;
        this.topics = topics;
        this.places = places;
        this.policies = topics.services().policies();
    }

    void add(Routes routes) {
        new Row<>(TopicPolicies.MAX_PRODUCERS)
                .ofNamespace(routes, "maxProducersPerTopic")
                .ofTopic(routes, "maxProducers");
        new Row<>(TopicPolicies.MAX_CONSUMERS)
                .ofNamespace(routes, "maxConsumersPerTopic")
                .ofTopic(routes, "maxConsumers");
        new Row<>(TopicPolicies.MAX_CONSUMERS_OF_SUBSCRIPTION)
                .ofNamespace(routes, "maxConsumersPerSubscription")
                .shownWhereUnset(null)
                .ofTopic(routes, "maxConsumersPerSubscription");
        new Row<>(TopicPolicies.MAX_SUBSCRIPTIONS)
                .ofNamespace(routes, "maxSubscriptionsPerTopic")
                .shownWhereUnset(null)
                .ofTopic(routes, "maxSubscriptionsPerTopic");
        new Row<>(TopicPolicies.MAX_TOPICS).shownWhereUnset(0).ofNamespace(routes, "maxTopicsPerNamespace");
        new Row<>(TopicPolicies.RETENTION)
                .refusedWith(BAD_RETENTION)
                .agreeingBy(BacklogQuotaRoutes::check)
                .ofNamespace(routes, "retention");
        new Row<>(TopicPolicies.SUBSCRIPTION_TYPES)
                .shownWhereUnset(Set.of())
                .ofNamespace(routes, "subscriptionTypesEnabled")
                .ofTopic(routes, "subscriptionTypesEnabled");
        new Row<>(TopicPolicies.TOPIC_CREATION).ofNamespace(routes, "autoTopicCreation");
        new Row<>(TopicPolicies.SUBSCRIPTION_CREATION)
                .ofNamespace(routes, "autoSubscriptionCreation")
                .ofTopic(routes, "autoSubscriptionCreation");
        ofTopics.removeAll(routes);
        addAuthMode(routes);
        addEncryption(routes);
        int largest = topics.services().config().limits().maxMessageBytes();
        new Row<>(TopicPolicies.MAX_MESSAGE_SIZE)
                .unless(size -> size > largest ? "maxMessageSize must be " + largest + " or less" : null)
                .shownWhereUnset(null)
                .ofTopic(routes, "maxMessageSize");
        new Row<>(TopicPolicies.MAX_UNACKED_OF_CONSUMER)
                .ofNamespace(routes, "maxUnackedMessagesPerConsumer")
                .ofTopic(routes, "maxUnackedMessagesOnConsumer");
        new Row<>(TopicPolicies.MAX_UNACKED_OF_SUBSCRIPTION)
                .ofNamespace(routes, "maxUnackedMessagesPerSubscription")
                .ofTopic(routes, "maxUnackedMessagesOnSubscription");
        new Row<>(TopicPolicies.SUBSCRIPTION_EXPIRATION)
                .ofNamespace(routes, "subscriptionExpirationTime")
                .givenAs("subscriptionExpirationTime")
                .ofTopic(routes, "subscriptionExpirationTime");
        new Row<>(TopicPolicies.PUBLISH_RATE)
                .ofNamespace(routes, "publishRate")
                .shownWhereUnset(null)
                .ofTopic(routes, "publishRate");
        new Row<>(TopicPolicies.DISPATCH_RATE)
                .ofNamespace(routes, "dispatchRate")
                .ofTopic(routes, "dispatchRate");
        new Row<>(TopicPolicies.SUBSCRIPTION_DISPATCH_RATE)
                .ofNamespace(routes, "subscriptionDispatchRate")
                .ofTopic(routes, "subscriptionDispatchRate");
        new Row<>(TopicPolicies.REPLICATOR_DISPATCH_RATE)
                .ofNamespace(routes, "replicatorDispatchRate")
                .ofTopic(routes, "replicatorDispatchRate");
        new Row<>(TopicPolicies.SUBSCRIBE_RATE)
                .ofNamespace(routes, "subscribeRate")
                .ofTopic(routes, "subscribeRate");
        new Row<>(TopicPolicies.INACTIVE_TOPICS)
                .ofNamespace(routes, "inactiveTopicPolicies")
                .ofTopic(routes, "inactiveTopicPolicies");
    }

    /** Whose routes are as those of the rows, but for one that removes the value. */
    private void addAuthMode(Routes routes) {
        Policy<SubscriptionAuthMode> mode = TopicPolicies.SUBSCRIPTION_AUTH_MODE;
        String path = NAMESPACE + "subscriptionAuthMode";
        routes.namespace(DESCRIBE_CONFIGS).get(path, r -> {
            places.requireNamespace(r);
            return mode.inNamespace(policies, r.tenant(), r.namespace());
        });
        routes.namespace(ALTER_CONFIGS).post(path, r -> {
            places.requireNamespace(r);
            SubscriptionAuthMode given = PolicyRoutes.read(r.body(), mode.type());
            if (given == null && !r.body().isBlank()) {
                // which Pulsar takes for None
                throw new AdminException(400, "the mode must be None or Prefix");
            }
            policies.change(r.tenant(), r.namespace(), p -> mode.set(p, given));
            return null;
        });
    }

    private void addEncryption(Routes routes) {
        Policy<Boolean> required = TopicPolicies.ENCRYPTION_REQUIRED;
        String path = NAMESPACE + "encryptionRequired";
        routes.namespace(DESCRIBE_CONFIGS).get(path, r -> {
            places.requireNamespace(r);
            return required.inNamespace(policies, r.tenant(), r.namespace());
        });
        routes.namespace(ALTER_CONFIGS).post(path, r -> {
            places.requireNamespace(r);
            Boolean given = PolicyRoutes.read(r.body(), Boolean.class);
            if (given == null) {
                throw new AdminException(400, "the request's body must be true or false");
            }
            policies.change(r.tenant(), r.namespace(), p -> required.set(p, given));
            return null;
        });
    }

    static <T> void check(Policy<T> policy, T value, int refusal) throws AdminException {
        String why = policy.whyNot().apply(value);
        if (why != null) {
            throw new AdminException(refusal, why);
        }
    }

    /** Look whether a value agrees with other policies of its namespace. */
    private interface Agreement<T> {
        void check(NamespacePolicy of, T value) throws AdminException;
    }

    /** A policy's routes. */
    private final class Row<T> {
        private final Policy<T> policy;
        private @Nullable Object unset = Routes.NOTHING;
        private int refusal = 412;
        private Agreement<T> agreement = (of, value) -> {};
        private Function<T, @Nullable String> alsoWhyNot = value -> null;
        private String parameter = "";

        Row(Policy<T> policy) {
            this.policy = policy;
        }

        /** Sets what the routes that are added next answer where nothing is set; null for 204. */
        Row<T> shownWhereUnset(@Nullable Object value) {
            unset = value;
            return this;
        }

        Row<T> refusedWith(int status) {
            refusal = status;
            return this;
        }

        /** Sets what refuses a namespace's value that contradicts its other policies. */
        Row<T> agreeingBy(Agreement<T> check) {
            agreement = check;
            return this;
        }

        /** Sets what else refuses a value, and says why. */
        Row<T> unless(Function<T, @Nullable String> whyNot) {
            alsoWhyNot = whyNot;
            return this;
        }

        /** Sets the query's parameter that has a topic's value, in place of the body; without it the topic has none. */
        Row<T> givenAs(String name) {
            parameter = name;
            return this;
        }

        Row<T> ofNamespace(Routes routes, String name) {
            Object otherwise = unset;
            routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE + name, r -> {
                places.requireNamespace(r);
                T value = policy.ofNamespace(policies.of(r.tenant(), r.namespace()));
                return value == null ? otherwise : value;
            });
            var change = routes.namespace(ALTER_CONFIGS);
            change.post(NAMESPACE + name, r -> set(r, given(r.body())));
            change.delete(NAMESPACE + name, r -> set(r, null));
            return this;
        }

        Row<T> ofTopic(Routes routes, String name) {
            Object otherwise = unset;
            ofTopics.get(routes, name, (topic, r) -> {
                T value = r.flag("applied")
                        ? policy.applied(policies, topic.name(), topic.settings())
                        : policy.in(topic.settings());
                return value == null ? otherwise : value;
            });
            ofTopics.post(routes, name, (topic, r) -> set(topic, parameter.isEmpty() ? given(r.body()) : query(r)));
            ofTopics.delete(routes, name, (topic, r) -> set(topic, null));
            return this;
        }

        private @Nullable T query(AdminRequest r) throws AdminException {
            String value = r.find(parameter);
            return value == null ? null : given(value);
        }

        private T given(String body) throws AdminException {
            T value = PolicyRoutes.read(body, policy.type());
            if (value == null) {
                throw new AdminException(400, "the request needs a body");
            }
            check(policy, value, refusal);
            String why = alsoWhyNot.apply(value);
            if (why != null) {
                throw new AdminException(refusal, why);
            }
            return value;
        }

        private @Nullable Object set(AdminRequest r, @Nullable T value) throws AdminException, IOException {
            places.requireNamespace(r);
            if (value != null) {
                agreement.check(policies.of(r.tenant(), r.namespace()), value);
            }
            policies.change(r.tenant(), r.namespace(), p -> policy.set(p, value));
            return null;
        }

        private @Nullable Object set(PolicyHolder topic, @Nullable T value) throws AdminException, IOException {
            topic.change(settings -> policy.set(settings, value));
            return null;
        }
    }
}
