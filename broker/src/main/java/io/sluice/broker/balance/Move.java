package io.sluice.broker.balance;

import io.sluice.broker.topic.TopicName;

/**
 * A partition that is to go on in another container.
 *
 * @param reason in words, for people
 */
public record Move(TopicName topic, int partition, long partitionId, int from, int to, String reason) {
    @Override
    public String toString() {
        return "partition " + partition + " of topic " + topic + " from container " + from + " to " + to + ": "
                + reason;
    }
}
