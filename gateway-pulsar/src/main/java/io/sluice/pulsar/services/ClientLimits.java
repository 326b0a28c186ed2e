package io.sluice.pulsar.services;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.dispatch.SubscribeRequest;
import io.sluice.pulsar.hub.HubView;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.NonPersistentSettings;
import io.sluice.pulsar.namespace.Policy;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.nonpersistent.NonPersistentBounds;
import io.sluice.pulsar.topic.TopicAccess;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.policies.data.impl.AutoSubscriptionCreationOverrideImpl;
import org.jspecify.annotations.Nullable;

/**
 * Limits that namespaces and topics set for producers, consumers and subscriptions, asked when one comes: those that are there when a limit is
 * set stay. By the settings as they are now. On the partition's loop.
 */
public record ClientLimits(NamespacePolicies policies, TopicAccess topics, NonPersistentSettings ofNotKept) {
    /** Answer to who would use a subscription of the server's own. */
    public static final String RESERVED = "Subscription with reserved subscription name attempted";

    /** Reason why a client is refused. */
    public record Refusal(ServerError error, String message) {}

    /**
     * Null if producers that do not encrypt may use topics of this namespace, or this one does. Its error is NotAllowedError, unlike Pulsar's: after
     * MetadataError clients would try for half a minute.
     */
    public @Nullable String whyNotPlain(TopicName topic, boolean encrypted) {
        return !encrypted && isEncryptionRequired(topic) ? "Encryption is required in " + topic : null;
    }

    public boolean isEncryptionRequired(TopicName topic) {
        return Boolean.TRUE.equals(
                TopicPolicies.ENCRYPTION_REQUIRED.inNamespace(policies, topic.tenant(), topic.namespace()));
    }

    /** Null if the topic takes another producer. */
    public @Nullable Refusal ofProducer(Topic found, PartitionHub hub) {
        int most = number(TopicPolicies.MAX_PRODUCERS, topics.current(found));
        return most > 0 && hub.view().producers().size() >= most
                ? new Refusal(ServerError.ProducerBusy, "Topic '" + found.name() + "' reached max producers limit")
                : null;
    }

    /** Null if the topic takes another consumer of this kind. */
    public @Nullable Refusal ofConsumer(Topic found, SubscribeRequest request, PartitionHub hub, PartitionLog log) {
        if (request.durable() && Subscriptions.isReplicator(request.name())) {
            return new Refusal(ServerError.NotAllowedError, RESERVED);
        }
        Topic topic = topics.current(found);
        Refusal otherType = ofType(topic.name(), topic.settings(), request);
        if (otherType != null) {
            return otherType;
        }
        Refusal full = ofNumber(topic, request, hub);
        return full != null || !request.durable() || log.subscriptions().find(request.name()) != null
                ? full
                : ofSubscription(topic, log);
    }

    private @Nullable Refusal ofType(TopicName topic, Map<String, String> settings, SubscribeRequest request) {
        Set<String> types = TopicPolicies.SUBSCRIPTION_TYPES.applied(policies, topic, settings);
        return types == null || types.isEmpty() || types.contains(request.type().name())
                ? null
                : new Refusal(
                        ServerError.NotAllowedError,
                        "Topic[" + topic + "] doesn't support " + request.type() + " sub type!");
    }

    /** Null if a non-persistent topic takes consumers of this kind. */
    public @Nullable Refusal ofNotKept(TopicName topic, SubscribeRequest request) {
        return ofType(topic, ofNotKept.of(topic), request);
    }

    /** Numbers of clients that a non-persistent topic, or each partition of it, takes. */
    public NonPersistentBounds boundsOf(TopicName topic) {
        Map<String, String> settings = ofNotKept.of(topic);
        return new NonPersistentBounds(
                number(TopicPolicies.MAX_PRODUCERS, topic, settings),
                number(TopicPolicies.MAX_CONSUMERS, topic, settings),
                number(TopicPolicies.MAX_CONSUMERS_OF_SUBSCRIPTION, topic, settings),
                number(TopicPolicies.MAX_SUBSCRIPTIONS, topic, settings));
    }

    /** Null if a consumer may subscribe once more in this period. */
    public static @Nullable Refusal ofRate(String consumer, PartitionHub hub) {
        return hub.rates().maySubscribe(consumer)
                ? null
                : new Refusal(ServerError.NotAllowedError, "Subscribe limited by subscribe rate limit per consumer.");
    }

    private @Nullable Refusal ofNumber(Topic topic, SubscribeRequest request, PartitionHub hub) {
        int most = number(TopicPolicies.MAX_CONSUMERS, topic);
        int mostOfOne = number(TopicPolicies.MAX_CONSUMERS_OF_SUBSCRIPTION, topic);
        if (most == 0 && mostOfOne == 0) {
            return null;
        }
        int all = 0;
        int ofOne = 0;
        HubView view = hub.view();
        for (var subscription : view.subscriptions()) {
            int consumers = subscription.consumers().size();
            all += consumers;
            ofOne = subscription.name().equals(request.name()) ? consumers : ofOne;
        }
        if (most > 0 && all >= most) {
            return new Refusal(ServerError.ConsumerBusy, "Topic reached max consumers limit");
        }
        return mostOfOne > 0 && ofOne >= mostOfOne
                ? new Refusal(ServerError.ConsumerBusy, "Subscription reached max consumers limit")
                : null;
    }

    private @Nullable Refusal ofSubscription(Topic topic, PartitionLog log) {
        AutoSubscriptionCreationOverrideImpl creation = TopicPolicies.SUBSCRIPTION_CREATION.applied(policies, topic);
        if (creation != null && !creation.isAllowAutoSubscriptionCreation()) {
            return new Refusal(ServerError.SubscriptionNotFound, "Subscription does not exist");
        }
        String full = whyNoMoreSubscriptions(topic, log);
        return full == null ? null : new Refusal(ServerError.NotAllowedError, full);
    }

    /** Null if the topic takes another subscription. */
    public @Nullable String whyNoMoreSubscriptions(Topic topic, PartitionLog log) {
        int most = number(TopicPolicies.MAX_SUBSCRIPTIONS, topic);
        return most > 0 && made(log) >= most
                ? "Exceed the maximum number of subscriptions of the topic: " + topic.name()
                : null;
    }

    /** Subscriptions but for the server's own of other clusters. */
    private static long made(PartitionLog log) {
        return log.subscriptions().all().stream()
                .filter(each -> !Subscriptions.isReplicator(each.name()))
                .count();
    }

    private int number(Policy<Integer> policy, Topic topic) {
        return number(policy, topic.name(), topic.settings());
    }

    private int number(Policy<Integer> policy, TopicName topic, Map<String, String> settings) {
        Integer value = policy.applied(policies, topic, settings);
        return value == null ? 0 : value;
    }
}
