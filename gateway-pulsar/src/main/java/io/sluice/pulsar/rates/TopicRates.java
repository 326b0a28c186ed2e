package io.sluice.pulsar.rates;

import io.sluice.broker.rate.Rate;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rates and bounds that hold for a topic, or for each of its partitions.
 *
 * @param publish by all producers
 * @param dispatch to all consumers
 * @param subscription to the consumers of each subscription
 * @param single rates of single subscriptions, by their names
 * @param subscribe times that one consumer may subscribe
 * @param bounds of its clients
 * @param group rates that it shares with the topics of other namespaces; null for none
 */
public record TopicRates(
        Rate publish,
        Rate dispatch,
        Rate subscription,
        Map<String, Rate> single,
        Rate subscribe,
        TopicBounds bounds,
        @Nullable GroupRates group) {
    public static final TopicRates NONE =
            new TopicRates(Rate.NONE, Rate.NONE, Rate.NONE, Map.of(), Rate.NONE, TopicBounds.NONE, null);

    /** Rate of a subscription: its own, or that of each. */
    public Rate of(String name) {
        return single.getOrDefault(name, subscription);
    }

    /** Bucket of what its group publishes; null without a limit. */
    public @Nullable SharedBucket publishOfGroup() {
        return group == null ? null : group.publish();
    }

    /** Bucket of what consumers of its group get; null without a limit. */
    public @Nullable SharedBucket dispatchOfGroup() {
        return group == null ? null : group.dispatch();
    }

    /** Port: rates by the name of a topic, or of a partition. Any thread. */
    public interface Source {
        TopicRates of(String topic);
    }
}
