package io.sluice.broker.access;

import io.sluice.broker.topic.KafkaNames;

/**
 * Subscriptions of one name on the topics of a namespace: Pulsar's permissions are for all of them.
 *
 * @param roleFirst whether the name has to begin with that of who uses it
 */
public record SubscriptionName(String tenant, String namespace, String name, boolean roleFirst) {
    /** The same, whatever the name begins with. */
    SubscriptionName forAnyRole() {
        return new SubscriptionName(tenant, namespace, name, false);
    }

    /**
     * Name as a {@link ResourceType#GROUP}: that of the group which Kafka's clients see of a subscription, with the beginning of the topics' names
     * in the place of a topic's, {@code _sub._ns.acme.shop./readers}. No topic is named so, and no group.
     */
    public String resource() {
        return beginningIn(tenant, namespace) + name;
    }

    /** Beginning of {@link #resource} for all subscriptions of a namespace. */
    public static String beginningIn(String tenant, String namespace) {
        return KafkaNames.SUBSCRIPTIONS + KafkaNames.beginningIn(tenant, namespace) + '/';
    }
}
