package io.sluice.pulsar.admin;

import io.sluice.broker.group.TopicGroup;
import io.sluice.broker.subscription.Subscriptions;

/** Names of Kafka's groups as subscriptions: group {@code billing} is {@code _group.billing}. */
final class GroupName {
    private GroupName() {}

    /** Whether a subscription's name is one of a group. */
    static boolean isGroup(String subscription) {
        return subscription.startsWith(Subscriptions.GROUP_PREFIX);
    }

    static String of(TopicGroup group) {
        return Subscriptions.GROUP_PREFIX + group.id();
    }
}
