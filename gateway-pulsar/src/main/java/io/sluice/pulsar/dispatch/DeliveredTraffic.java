package io.sluice.pulsar.dispatch;

import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.metrics.Traffic;
import java.util.HashMap;
import java.util.Map;

/** Traffic from a partition to its consumers, in all and by subscription. Loop only. */
final class DeliveredTraffic {
    private final Traffic out;
    private final PulsarMeters meters;
    /** Also while the subscription has no consumer. */
    private final Map<String, SubscriptionTraffic> bySubscription = new HashMap<>();

    /** @param now milliseconds since the epoch */
    DeliveredTraffic(long now, PulsarMeters meters) {
        this.out = new Traffic(now);
        this.meters = meters;
    }

    SubscriptionTraffic of(String subscription, long now) {
        return bySubscription.computeIfAbsent(subscription, name -> new SubscriptionTraffic(now));
    }

    /** Messages of a subscription went out, again or for the first time. */
    void add(SubscriptionTraffic ofSubscription, int messages, int bytes) {
        ofSubscription.out.add(messages, bytes);
        out.add(messages, bytes);
        meters.delivered(messages, bytes);
    }

    void forget(String subscription) {
        bySubscription.remove(subscription);
    }

    Traffic.View view(long now) {
        return out.view(now);
    }

    Map<String, SubscriptionTraffic.View> viewBySubscription(long now) {
        Map<String, SubscriptionTraffic.View> views = new HashMap<>();
        bySubscription.forEach((name, traffic) -> views.put(name, traffic.view(now)));
        return views;
    }
}
