package io.sluice.kafka.format;

import io.sluice.broker.topic.TopicName;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;
import org.jspecify.annotations.Nullable;

/**
 * Names of topics as Kafka clients see them: {@code t} for {@code persistent://public/default/t}, {@code tenant/namespace/t}
 * for all others. A slash cannot occur in a Kafka name, so the two never meet.
 */
public final class TopicNames {
    private TopicNames() {}

    public static String toKafka(TopicName name) {
        return name.inDefaultNamespace() ? name.local() : name.tenant() + "/" + name.namespace() + "/" + name.local();
    }

    /** Of any topic that may exist. A name that cannot be one gives a topic that is never found. */
    public static TopicName fromKafka(String name) {
        int first = name.indexOf('/');
        if (first < 0) {
            return TopicName.ofDefault(name);
        }
        int second = name.indexOf('/', first + 1);
        return second < 0
                ? TopicName.ofDefault(name)
                : new TopicName(
                        name.substring(0, first), name.substring(first + 1, second), name.substring(second + 1));
    }

    /** Why a topic of this name cannot be created over Kafka; null if it can. */
    public static @Nullable String whyNotCreatable(String name) {
        try {
            Topic.validate(name);
            return null;
        } catch (InvalidTopicException e) {
            return e.getMessage();
        }
    }
}
