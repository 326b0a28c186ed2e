package io.sluice.pulsar.rates;

import io.sluice.broker.rate.Rate;

/**
 * Rates and bounds that hold for a topic, or for each of its partitions.
 *
 * @param publish by all producers
 * @param dispatch to all consumers
 * @param subscription to the consumers of each subscription
 * @param subscribe times that one consumer may subscribe
 * @param bounds of its clients
 */
public record TopicRates(Rate publish, Rate dispatch, Rate subscription, Rate subscribe, TopicBounds bounds) {
    public static final TopicRates NONE = new TopicRates(Rate.NONE, Rate.NONE, Rate.NONE, Rate.NONE, TopicBounds.NONE);

    /** Port: rates by the name of a topic, or of a partition. Any thread. */
    public interface Source {
        TopicRates of(String topic);
    }
}
