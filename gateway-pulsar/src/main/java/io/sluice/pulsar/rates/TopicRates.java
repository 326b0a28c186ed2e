package io.sluice.pulsar.rates;

import io.sluice.broker.rate.Rate;
import org.jspecify.annotations.Nullable;

/**
 * Rates and bounds that hold for a topic, or for each of its partitions.
 *
 * @param publish by all producers
 * @param dispatch to all consumers
 * @param subscription to the consumers of each subscription
 * @param subscribe times that one consumer may subscribe
 * @param bounds of its clients
 * @param group rates that it shares with the topics of other namespaces; null for none
 */
public record TopicRates(
        Rate publish,
        Rate dispatch,
        Rate subscription,
        Rate subscribe,
        TopicBounds bounds,
        @Nullable GroupRates group) {
    public static final TopicRates NONE =
            new TopicRates(Rate.NONE, Rate.NONE, Rate.NONE, Rate.NONE, TopicBounds.NONE, null);

    /** What its group may publish; null without a limit. */
    public @Nullable SharedBucket publishOfGroup() {
        return group == null ? null : group.publish();
    }

    /** What consumers of its group may get; null without a limit. */
    public @Nullable SharedBucket dispatchOfGroup() {
        return group == null ? null : group.dispatch();
    }

    /** Port: rates by the name of a topic, or of a partition. Any thread. */
    public interface Source {
        TopicRates of(String topic);
    }
}
