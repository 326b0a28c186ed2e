package io.sluice.pulsar.hub;

import io.sluice.pulsar.dispatch.SubscriptionTraffic;
import io.sluice.pulsar.dispatch.SubscriptionView;
import io.sluice.pulsar.metrics.Traffic;
import io.sluice.pulsar.producer.ProducerSession;
import java.util.List;
import java.util.Map;

/** A partition's traffic, producers and connected subscriptions at one moment. */
public record HubView(Flow flow, List<ProducerSession.View> producers, List<SubscriptionView> subscriptions) {
    public static final HubView EMPTY =
            new HubView(new Flow(Traffic.View.NONE, Traffic.View.NONE, Map.of()), List.of(), List.of());

    /**
     * Since the first client came in this term.
     *
     * @param bySubscription what went out of {@code out} to each subscription that still exists
     */
    public record Flow(Traffic.View in, Traffic.View out, Map<String, SubscriptionTraffic.View> bySubscription) {
        public Flow {
            bySubscription = Map.copyOf(bySubscription);
        }

        /** To one subscription. */
        public SubscriptionTraffic.View to(String subscription) {
            return bySubscription.getOrDefault(subscription, SubscriptionTraffic.View.NONE);
        }
    }

    public HubView {
        producers = List.copyOf(producers);
        subscriptions = List.copyOf(subscriptions);
    }
}
