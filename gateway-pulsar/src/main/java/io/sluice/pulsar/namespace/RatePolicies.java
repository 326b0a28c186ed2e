package io.sluice.pulsar.namespace;

import io.sluice.broker.rate.Rate;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.rates.TopicBounds;
import io.sluice.pulsar.rates.TopicRates;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.policies.data.PublishRate;
import org.apache.pulsar.common.policies.data.SubscribeRate;
import org.apache.pulsar.common.policies.data.impl.DispatchRateImpl;
import org.jspecify.annotations.Nullable;

/** Rates and bounds of topics by the policies of topics and namespaces, as they are now. Any thread. */
public final class RatePolicies implements TopicRates.Source {
    private final TopicCatalogue catalogue;
    private final NamespacePolicies policies;
    private final NonPersistentSettings ofNotKept;
    private final ResourceGroups groups;

    public RatePolicies(
            TopicCatalogue catalogue,
            NamespacePolicies policies,
            NonPersistentSettings ofNotKept,
            ResourceGroups groups) {
        this.groups = groups;
        this.ofNotKept = ofNotKept;
        this.catalogue = catalogue;
        this.policies = policies;
    }

    /** Rises with every change of what is asked here. */
    public long version() {
        return catalogue.version() + policies.version() + ofNotKept.version() + groups.version();
    }

    @Override
    public TopicRates of(String topic) {
        try {
            Topic found = catalogue.find(PulsarNames.parse(topic).topic());
            return found == null ? TopicRates.NONE : of(found);
        } catch (TopicException e) {
            return TopicRates.NONE;
        }
    }

    private TopicRates of(Topic topic) {
        return of(topic.name(), topic.settings());
    }

    /** Rates of a non-persistent topic, or of each partition of it. */
    public TopicRates ofNotKept(TopicName topic) {
        return of(topic, ofNotKept.of(topic));
    }

    private TopicRates of(TopicName topic, Map<String, String> settings) {
        TopicRates rates = new TopicRates(
                published(TopicPolicies.PUBLISH_RATE.applied(policies, topic, settings)),
                dispatched(TopicPolicies.DISPATCH_RATE.applied(policies, topic, settings)),
                dispatched(TopicPolicies.SUBSCRIPTION_DISPATCH_RATE.applied(policies, topic, settings)),
                single(settings),
                subscribed(TopicPolicies.SUBSCRIBE_RATE.applied(policies, topic, settings)),
                bounds(topic, settings),
                groups.of(topic.tenant(), topic.namespace()));
        return rates.equals(TopicRates.NONE) ? TopicRates.NONE : rates;
    }

    /** Rate at which a partition of the topic is sent on to each other cluster. */
    public Rate replicated(TopicName topic) {
        Topic found = catalogue.find(topic);
        return found == null ? Rate.NONE : dispatched(TopicPolicies.REPLICATOR_DISPATCH_RATE.applied(policies, found));
    }

    private TopicBounds bounds(TopicName topic, Map<String, String> settings) {
        TopicBounds bounds = new TopicBounds(
                orElse(TopicPolicies.MAX_MESSAGE_SIZE.applied(policies, topic, settings), 0),
                orElse(TopicPolicies.MAX_UNACKED_OF_CONSUMER.applied(policies, topic, settings), TopicBounds.OF_SERVER),
                orElse(
                        TopicPolicies.MAX_UNACKED_OF_SUBSCRIPTION.applied(policies, topic, settings),
                        TopicBounds.OF_SERVER),
                Boolean.TRUE.equals(TopicPolicies.ENCRYPTION_REQUIRED.applied(policies, topic, settings)));
        return bounds.equals(TopicBounds.NONE) ? TopicBounds.NONE : bounds;
    }

    private static Map<String, Rate> single(Map<String, String> settings) {
        Map<String, Rate> rates = new HashMap<>();
        TopicPolicies.subscriptionRates(settings)
                .bySubscription()
                .forEach((name, rate) -> rates.put(name, dispatched(rate)));
        return Map.copyOf(rates);
    }

    private static int orElse(@Nullable Integer value, int otherwise) {
        return value == null ? otherwise : value;
    }

    private static Rate published(@Nullable PublishRate rate) {
        return rate == null
                ? Rate.NONE
                : limited(new Rate(rate.publishThrottlingRateInMsg, rate.publishThrottlingRateInByte, 1, false));
    }

    private static Rate dispatched(@Nullable DispatchRateImpl rate) {
        return rate == null
                ? Rate.NONE
                : limited(new Rate(
                        rate.getDispatchThrottlingRateInMsg(),
                        rate.getDispatchThrottlingRateInByte(),
                        rate.getRatePeriodInSecond(),
                        rate.isRelativeToPublishRate()));
    }

    private static Rate subscribed(@Nullable SubscribeRate rate) {
        return rate == null
                ? Rate.NONE
                : limited(new Rate(rate.subscribeThrottlingRatePerConsumer, 0, rate.ratePeriodInSecond, false));
    }

    private static Rate limited(Rate rate) {
        return rate.limits() ? rate : Rate.NONE;
    }
}
