package io.sluice.pulsar.dispatch;

import java.util.List;

/** A partition's producers and connected subscriptions at one moment. Counters are since the first of them came. */
public record HubView(
        long messagesIn, long bytesIn, List<ProducerSession.View> producers, List<SubscriptionView> subscriptions) {
    public static final HubView EMPTY = new HubView(0, 0, List.of(), List.of());

    public HubView {
        producers = List.copyOf(producers);
        subscriptions = List.copyOf(subscriptions);
    }
}
