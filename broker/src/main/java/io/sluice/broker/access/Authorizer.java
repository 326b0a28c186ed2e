package io.sluice.broker.access;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.TopicName;
import org.jspecify.annotations.Nullable;

/**
 * Port: decides who may do what. Any thread, also a Netty or a container's loop; never blocks.
 *
 * <p>An implementation honours what Kafka's operations imply: READ, WRITE, DELETE and ALTER imply DESCRIBE, ALTER_CONFIGS
 * implies DESCRIBE_CONFIGS. One that decides about topics only refuses whatever concerns more than a topic.
 */
public interface Authorizer {
    /** Allows everything. */
    Authorizer ALLOW_ALL = new Authorizer() {
        @Override
        public boolean allows(Principal principal, Operation operation, TopicName topic) {
            return true;
        }

        @Override
        public boolean allows(Principal principal, Operation operation, ResourceType type, String name) {
            return true;
        }

        @Override
        public boolean allowsOnNamespace(Principal principal, Operation operation, String tenant, String namespace) {
            return true;
        }

        @Override
        public boolean allowsOnCluster(Principal principal, Operation operation) {
            return true;
        }

        @Override
        public boolean allowsOnAny(Principal principal, Operation operation, ResourceType type) {
            return true;
        }
    };

    /** @param topic need not exist */
    boolean allows(Principal principal, Operation operation, TopicName topic);

    /** @param name of a group, a transactional id, a user ({@code User:name}); it need not exist. Topics are asked for by their names */
    default boolean allows(Principal principal, Operation operation, ResourceType type, String name) {
        return false;
    }

    /** Itself, its policies, the names of its topics; it need not exist. */
    default boolean allowsOnNamespace(Principal principal, Operation operation, String tenant, String namespace) {
        return false;
    }

    /** Its tenants, its nodes, their health. */
    default boolean allowsOnCluster(Principal principal, Operation operation) {
        return false;
    }

    /** Whether every operation is allowed on all topics of the tenant, as those of its administrators are. It need not exist. */
    default boolean administers(Principal principal, String tenant) {
        return allows(principal, Operation.ALL, ResourceType.TOPIC, KafkaNames.beginningIn(tenant));
    }

    /**
     * Whether the principal may use subscriptions of the name, where it may READ their topic: if there are rules for them by name, one of them
     * has to allow it to READ. Administrators of the tenant may.
     */
    default boolean allowsSubscription(Principal principal, SubscriptionName subscription) {
        return true;
    }

    /** Decides alike, for those who ask what to show, or whether there is another right: that this one is missing refuses nobody. */
    default Authorizer quietly() {
        return this;
    }

    /** Has it written down, where refusals are, that the principal was refused by something else than a rule. */
    default void refused(Principal principal, Operation operation, ResourceType type, String name) {}

    /** Another number after each change that may change an answer: for those who act on an answer for longer than a request. */
    default long version() {
        return 0;
    }

    /** Rules by which it decides; null if it goes by none that can be changed. */
    default @Nullable AccessRules rules() {
        return null;
    }

    /** Whether there may be a resource of the type on which it is allowed. */
    default boolean allowsOnAny(Principal principal, Operation operation, ResourceType type) {
        return false;
    }
}
