package io.sluice.pulsar.admin;

import io.sluice.pulsar.dispatch.ConsumerView;
import io.sluice.pulsar.dispatch.NonPersistentSubscription;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.producer.ProducerSession;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.policies.data.stats.ConsumerStatsImpl;
import org.apache.pulsar.common.policies.data.stats.NonPersistentPublisherStatsImpl;
import org.apache.pulsar.common.policies.data.stats.NonPersistentSubscriptionStatsImpl;
import org.apache.pulsar.common.policies.data.stats.NonPersistentTopicStatsImpl;

/** Stats of non-persistent topics, in Pulsar's own classes. */
final class NonPersistentStats {
    private NonPersistentStats() {}

    static NonPersistentTopicStatsImpl of(NonPersistentTopic topic, String broker) {
        NonPersistentTopic.View view = topic.view();
        NonPersistentTopicStatsImpl stats = new NonPersistentTopicStatsImpl();
        stats.msgInCounter = view.in().messages();
        stats.bytesInCounter = view.in().bytes();
        stats.msgRateIn = view.in().messageRate();
        stats.msgThroughputIn = view.in().byteRate();
        stats.averageMsgSize = Stats.averageSize(view.in());
        stats.ownerBroker = broker;
        view.producers().forEach(each -> stats.addPublisher(publisher(each)));
        Map<String, NonPersistentSubscriptionStatsImpl> subscriptions = new HashMap<>();
        for (NonPersistentSubscription.View each : view.subscriptions()) {
            NonPersistentSubscriptionStatsImpl of = subscription(each);
            subscriptions.put(each.name(), of);
            stats.msgOutCounter += of.msgOutCounter;
            stats.bytesOutCounter += of.bytesOutCounter;
            stats.msgRateOut += of.msgRateOut;
            stats.msgThroughputOut += of.msgThroughputOut;
            stats.msgDropRate += of.msgDropRate;
        }
        stats.nonPersistentSubscriptions = subscriptions;
        return stats;
    }

    private static NonPersistentPublisherStatsImpl publisher(ProducerSession.View p) {
        NonPersistentPublisherStatsImpl stats = new NonPersistentPublisherStatsImpl();
        Stats.fill(stats, p);
        return stats;
    }

    private static NonPersistentSubscriptionStatsImpl subscription(NonPersistentSubscription.View s) {
        NonPersistentSubscriptionStatsImpl stats = new NonPersistentSubscriptionStatsImpl();
        stats.type = s.type();
        stats.isDurable = s.durable();
        stats.subscriptionProperties = s.properties();
        stats.activeConsumerName = s.active().isEmpty() ? null : s.active();
        stats.allowOutOfOrderDelivery = s.outOfOrder();
        stats.keySharedMode = s.keySharedMode().isEmpty() ? null : s.keySharedMode();
        stats.msgOutCounter = s.out().messages();
        stats.bytesOutCounter = s.out().bytes();
        stats.msgRateOut = s.out().messageRate();
        stats.msgThroughputOut = s.out().byteRate();
        stats.msgDropRate = s.dropped().messageRate();
        List<ConsumerStatsImpl> consumers = new ArrayList<>();
        for (ConsumerView each : s.consumers()) {
            consumers.add(SubscriptionFigures.consumer(each, !s.keySharedMode().isEmpty()));
        }
        stats.consumers = consumers;
        return stats;
    }
}
