package io.sluice.pulsar.namespace;

import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.policies.data.impl.DispatchRateImpl;
import org.jspecify.annotations.Nullable;

/** Rates of single subscriptions of a topic, by their names. */
public record SubscriptionRates(Map<String, DispatchRateImpl> bySubscription) {
    /** A bound of what one topic's settings hold. */
    public static final int MOST = 1_000;

    static final SubscriptionRates NONE = new SubscriptionRates(Map.of());

    public SubscriptionRates {
        bySubscription = Map.copyOf(bySubscription);
    }

    /** @param rate null for none */
    public SubscriptionRates with(String subscription, @Nullable DispatchRateImpl rate) {
        Map<String, DispatchRateImpl> all = new HashMap<>(bySubscription);
        if (rate == null) {
            all.remove(subscription);
        } else {
            all.put(subscription, rate);
        }
        return new SubscriptionRates(all);
    }
}
