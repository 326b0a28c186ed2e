package io.sluice.kafka.api;

import io.sluice.broker.topic.Topic;
import org.apache.kafka.common.protocol.Errors;

/** Answer of {@link KafkaAccess}. */
public sealed interface TopicLookup {
    record Found(Topic topic) implements TopicLookup {}

    /** There is nothing to work on. */
    sealed interface Refused extends TopicLookup {
        /** Kafka's error for the topic or for each of its partitions. */
        Errors error();
    }

    /** @param error depends on whether the topic was asked for by name or by id */
    record Missing(Errors error) implements Refused {}

    /** The principal is not authorized. A look-up by name does not reveal whether the topic exists. */
    record Denied() implements Refused {
        @Override
        public Errors error() {
            return Errors.TOPIC_AUTHORIZATION_FAILED;
        }
    }
}
