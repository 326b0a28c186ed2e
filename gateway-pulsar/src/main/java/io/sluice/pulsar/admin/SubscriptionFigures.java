package io.sluice.pulsar.admin;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.dispatch.ConsumerView;
import io.sluice.pulsar.dispatch.ReplicatedFlag;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.dispatch.SubscriptionTraffic;
import io.sluice.pulsar.dispatch.SubscriptionView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.policies.data.stats.ConsumerStatsImpl;
import org.apache.pulsar.common.policies.data.stats.SubscriptionStatsImpl;

/** Stats of subscriptions and their consumers, in Pulsar's own classes. On the partition's loop. */
final class SubscriptionFigures {
    private SubscriptionFigures() {}

    /** Stats of a subscription without connected consumers. */
    static SubscriptionStatsImpl idle(PartitionLog log, Cursor c, SubscriptionTraffic.View traffic) {
        SubscriptionStatsImpl stats = stats(log, c.ackedBelow(), traffic);
        stats.type = "None";
        stats.isDurable = true;
        stats.subscriptionProperties = ReplicatedFlag.without(c.properties());
        stats.isReplicated = ReplicatedFlag.isSet(c.properties());
        withGaps(stats, c.ackedRanges(), c.ackedBytes());
        return withBacklog(stats, Subscription.backlog(log, c));
    }

    static SubscriptionStatsImpl connected(PartitionLog log, SubscriptionView s, SubscriptionTraffic.View traffic) {
        SubscriptionStatsImpl stats = stats(log, s.ackedBelow(), traffic);
        stats.type = s.type();
        stats.isDurable = s.durable();
        stats.subscriptionProperties = ReplicatedFlag.without(s.properties());
        stats.isReplicated = ReplicatedFlag.isSet(s.properties());
        withGaps(stats, s.ackedRanges(), s.ackedBytes());
        stats.unackedMessages = s.unacked();
        stats.blockedSubscriptionOnUnackedMsgs = s.blocked();
        stats.activeConsumerName = s.active().isEmpty() ? null : s.active();
        stats.allowOutOfOrderDelivery = s.outOfOrder();
        stats.keySharedMode = s.keySharedMode().isEmpty() ? null : s.keySharedMode();
        List<ConsumerStatsImpl> consumers = new ArrayList<>(s.consumers().size());
        for (ConsumerView c : s.consumers()) {
            consumers.add(consumer(c, !s.keySharedMode().isEmpty()));
            stats.msgRateRedeliver += c.redelivered().messageRate();
            stats.messageAckRate += c.acked().messageRate();
            stats.lastAckedTimestamp =
                    Math.max(stats.lastAckedTimestamp, c.times().lastAcked());
            stats.lastConsumedTimestamp =
                    Math.max(stats.lastConsumedTimestamp, c.times().lastSent());
        }
        stats.consumers = consumers;
        withBacklog(stats, s.backlog());
        stats.msgDelayed = s.delayed();
        stats.msgInReplay = s.inReplay();
        stats.msgBacklogNoDelayed = Math.max(0, s.backlog() - s.delayed());
        return stats;
    }

    private static SubscriptionStatsImpl stats(PartitionLog log, long ackedBelow, SubscriptionTraffic.View traffic) {
        SubscriptionStatsImpl stats = new SubscriptionStatsImpl();
        stats.msgOutCounter = traffic.out().messages();
        stats.bytesOutCounter = traffic.out().bytes();
        stats.msgRateOut = traffic.out().messageRate();
        stats.msgThroughputOut = traffic.out().byteRate();
        stats.lastConsumedFlowTimestamp = traffic.lastFlow();
        stats.msgRateExpired = traffic.expired().messageRate();
        stats.totalMsgExpired = traffic.expired().messages();
        stats.lastExpireTimestamp = traffic.lastExpiry();
        stats.lastMarkDeleteAdvancedTimestamp = traffic.lastAdvance();
        stats.backlogSize = log.bytesAfter(Math.max(ackedBelow, log.startOffset()));
        return stats;
    }

    private static void withGaps(SubscriptionStatsImpl stats, int ranges, long bytes) {
        stats.nonContiguousDeletedMessagesRanges = ranges;
        stats.nonContiguousDeletedMessagesRangesSerializedSize = (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    private static SubscriptionStatsImpl withBacklog(SubscriptionStatsImpl stats, long messages) {
        stats.msgBacklog = messages;
        stats.msgBacklogNoDelayed = messages;
        return stats;
    }

    static ConsumerStatsImpl consumer(ConsumerView c, boolean byKey) {
        ConsumerStatsImpl stats = new ConsumerStatsImpl();
        if (byKey) {
            stats.keyHashRangeArrays =
                    c.hashes().stream().map(h -> new int[] {h.start(), h.end()}).toList();
            stats.drainingHashes = List.of();
        }
        stats.avgMessagesPerEntry = (int) Math.round(c.out().messages() / (double) Math.max(1, c.entries()));
        stats.consumerName = c.identity().name();
        stats.metadata = Map.copyOf(c.identity().metadata());
        stats.availablePermits = c.permits();
        stats.unackedMessages = c.unacked();
        stats.blockedConsumerOnUnackedMsgs = c.blocked();
        stats.msgOutCounter = c.out().messages();
        stats.bytesOutCounter = c.out().bytes();
        stats.msgRateOut = c.out().messageRate();
        stats.msgThroughputOut = c.out().byteRate();
        stats.msgRateRedeliver = c.redelivered().messageRate();
        stats.messageAckRate = c.acked().messageRate();
        stats.lastAckedTimestamp = c.times().lastAcked();
        stats.lastConsumedTimestamp = c.times().lastSent();
        stats.firstMessagesSentTimestamp = c.times().firstSent();
        stats.lastConsumedFlowTimestamp = c.times().lastFlow();
        stats.firstConsumedFlowTimestamp = c.times().firstFlow();
        stats.setAddress(c.address());
        stats.setClientVersion(c.clientVersion());
        stats.setConnectedSince(Instant.ofEpochMilli(c.connectedAt()).toString());
        return stats;
    }
}
