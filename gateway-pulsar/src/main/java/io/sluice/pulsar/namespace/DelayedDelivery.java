package io.sluice.pulsar.namespace;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.policies.data.impl.DelayedDeliveryPoliciesImpl;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;

/**
 * Whether messages wait for the time that their producer has set, and how long they may: the topic's own setting decides, else its
 * namespace's, else {@link #DEFAULT}. The tick time is kept and shown only: a message is delivered when its time comes. Any thread.
 */
public final class DelayedDelivery {
    private static final String SETTING = "pulsar.delayed.delivery";

    /** As Pulsar's broker without settings: on, without a bound. */
    public static final DelayedDeliveryPoliciesImpl DEFAULT = new DelayedDeliveryPoliciesImpl(1_000, true, 0);

    private final TopicCatalogue catalogue;
    private final NamespacePolicies policies;

    public DelayedDelivery(TopicCatalogue catalogue, NamespacePolicies policies) {
        this.catalogue = catalogue;
        this.policies = policies;
    }

    /** @param topic a topic's name, or a partition's */
    public boolean isActive(String topic) {
        try {
            return of(PulsarNames.parse(topic).topic()).isActive();
        } catch (TopicException e) {
            return DEFAULT.isActive();
        }
    }

    /** Whether a message of the topic is to be refused because it would be delivered so many milliseconds after it was published. */
    public boolean isTooLong(TopicName topic, long delayMillis) {
        DelayedDeliveryPoliciesImpl policy = of(topic);
        return policy.isActive()
                && policy.getMaxDeliveryDelayInMillis() > 0
                && delayMillis > policy.getMaxDeliveryDelayInMillis();
    }

    /** Returns the policy that holds for the topic. */
    public DelayedDeliveryPoliciesImpl of(TopicName name) {
        Topic topic = catalogue.find(name);
        DelayedDeliveryPoliciesImpl own = topic == null ? null : ofTopic(topic);
        DelayedDeliveryPoliciesImpl ofNamespace =
                policies.of(name.tenant(), name.namespace()).delayedDelivery();
        return own != null ? own : ofNamespace != null ? ofNamespace : DEFAULT;
    }

    /** Null where the topic has no setting of its own. */
    public static @Nullable DelayedDeliveryPoliciesImpl ofTopic(Topic topic) {
        String value = topic.settings().get(SETTING);
        try {
            return value == null
                    ? null
                    : ObjectMapperFactory.getMapper().reader().readValue(value, DelayedDeliveryPoliciesImpl.class);
        } catch (IOException e) {
            throw new UncheckedIOException("setting " + SETTING + " of " + topic.name() + " does not read", e);
        }
    }

    /** The topic's settings with another one for this; null for none. */
    public static Map<String, String> set(Topic topic, @Nullable DelayedDeliveryPoliciesImpl policy) {
        Map<String, String> settings = new HashMap<>(topic.settings());
        settings.remove(SETTING);
        if (policy != null) {
            try {
                settings.put(SETTING, ObjectMapperFactory.getMapper().writer().writeValueAsString(policy));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return settings;
    }
}
