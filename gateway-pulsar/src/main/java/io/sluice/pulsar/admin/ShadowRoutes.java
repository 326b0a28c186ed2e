package io.sluice.pulsar.admin;

import java.util.Set;

/**
 * Shadow topics, of which there are none here: what a subscription has acknowledged is kept with the log of its partition, so that another topic
 * cannot have subscriptions of its own to the same messages. Who wants one is told so; that a topic has none is true.
 */
final class ShadowRoutes {
    /** Property by which Pulsar's clients make a shadow topic. */
    private static final String SOURCE = "PULSAR.SHADOW_SOURCE";

    private static final String NAME = "shadowTopics";

    private ShadowRoutes() {}

    /** Refuses properties by which a topic would be one. */
    static void check(Set<String> properties) throws AdminException {
        if (properties.contains(SOURCE)) {
            throw refused();
        }
    }

    private static AdminException refused() {
        return new AdminException(
                412,
                "this server has no shadow topics: a partition's subscriptions are part of its log, so let consumers subscribe"
                        + " to the source itself");
    }

    static void add(Routes routes, TopicPolicyRoutes topics) {
        topics.get(routes, NAME, (topic, r) -> Routes.NOTHING);
        topics.put(routes, NAME, (topic, r) -> {
            throw refused();
        });
        topics.delete(routes, NAME, (topic, r) -> null);
    }
}
