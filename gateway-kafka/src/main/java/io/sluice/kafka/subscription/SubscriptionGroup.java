package io.sluice.kafka.subscription;

import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.format.TopicNames;
import org.jspecify.annotations.Nullable;

/**
 * A subscription as a group of Kafka's: {@code _sub.orders/readers} is subscription {@code readers} of topic {@code orders}. No topic has a slash
 * in its Kafka name, so each such id is one subscription's at most.
 *
 * @param topic as Kafka calls it
 */
public record SubscriptionGroup(String topic, String subscription) {
    /** Begins the ids of all such groups; no other group has one of those. */
    public static final String PREFIX = KafkaNames.SUBSCRIPTIONS;

    /** Whether the id is kept for a subscription, there or not. */
    public static boolean isReserved(String group) {
        return group.startsWith(PREFIX);
    }

    /** Null if no subscription has this id. */
    public static @Nullable SubscriptionGroup parse(String group) {
        int slash = group.indexOf('/');
        if (!isReserved(group) || slash < 0 || slash + 1 == group.length()) {
            return null;
        }
        var parsed = new SubscriptionGroup(group.substring(PREFIX.length(), slash), group.substring(slash + 1));
        boolean known = TopicNames.fromKafka(parsed.topic) != null && !Subscriptions.isInternal(parsed.subscription);
        return known ? parsed : null;
    }

    /** Group of a topic's subscription; null if Kafka's clients do not see that topic. */
    static @Nullable SubscriptionGroup of(TopicName topic, String subscription) {
        return TopicNames.isVisible(topic) ? new SubscriptionGroup(TopicNames.toKafka(topic), subscription) : null;
    }

    /** The group's id. */
    public String id() {
        return PREFIX + topic + '/' + subscription;
    }
}
