package io.sluice.broker.topic;

import java.util.UUID;

/**
 * A topic as a client found it: it may have more partitions now.
 *
 * @param partitions how many it had
 */
public record TopicSeen(TopicName name, UUID id, int partitions) {
    public static TopicSeen of(Topic topic) {
        return new TopicSeen(topic.name(), topic.id(), topic.partitions().size());
    }
}
