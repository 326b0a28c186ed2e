package io.sluice.pulsar.admin;

import io.sluice.pulsar.namespace.SubscriptionRates;
import io.sluice.pulsar.namespace.TopicPolicies;
import java.io.IOException;
import org.apache.pulsar.common.policies.data.impl.DispatchRateImpl;
import org.jspecify.annotations.Nullable;

/** {@code .../:topic/:subscription/dispatchRate}: rate at which one subscription of a topic gets messages, in place of that of all. */
final class SubscriptionRateRoutes {
    private static final String NAME = ":subscription/dispatchRate";

    private SubscriptionRateRoutes() {}

    static void add(Routes routes, TopicPolicyRoutes topics) {
        topics.get(
                routes,
                NAME,
                (topic, r) -> PolicyRoutes.orNothing(of(topic).bySubscription().get(r.get("subscription"))));
        topics.post(routes, NAME, (topic, r) -> {
            DispatchRateImpl given = PolicyRoutes.read(r.body(), DispatchRateImpl.class);
            if (given == null) {
                throw new AdminException(400, "the request needs a body");
            }
            if (of(topic).bySubscription().size() >= SubscriptionRates.MOST) {
                throw new AdminException(
                        412, "a topic has rates of at most " + SubscriptionRates.MOST + " subscriptions");
            }
            return set(topic, r.get("subscription"), given);
        });
        topics.delete(routes, NAME, (topic, r) -> set(topic, r.get("subscription"), null));
    }

    private static SubscriptionRates of(PolicyHolder topic) {
        return TopicPolicies.subscriptionRates(topic.settings());
    }

    private static @Nullable Object set(PolicyHolder topic, String subscription, @Nullable DispatchRateImpl rate)
            throws AdminException, IOException {
        topic.change(settings -> TopicPolicies.SUBSCRIPTION_RATES.set(
                settings, TopicPolicies.subscriptionRates(settings).with(subscription, rate)));
        return null;
    }
}
