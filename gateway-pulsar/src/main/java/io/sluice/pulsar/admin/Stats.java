package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.sluice.broker.access.Principal;
import io.sluice.broker.compaction.ViewCompactionQueue;
import io.sluice.broker.group.TopicGroup;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.dispatch.SubscriptionView;
import io.sluice.pulsar.hub.Backlog;
import io.sluice.pulsar.hub.HubView;
import io.sluice.pulsar.metrics.Traffic;
import io.sluice.pulsar.namespace.BacklogQuotas;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.topic.TopicLists;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.common.partition.PartitionedTopicMetadata;
import org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType;
import org.apache.pulsar.common.policies.data.stats.CompactionStatsImpl;
import org.apache.pulsar.common.policies.data.stats.PartitionedTopicStatsImpl;
import org.apache.pulsar.common.policies.data.stats.PublisherStatsImpl;
import org.apache.pulsar.common.policies.data.stats.SubscriptionStatsImpl;
import org.apache.pulsar.common.policies.data.stats.TopicStatsImpl;
import org.apache.pulsar.common.util.ObjectMapperFactory;

/** Stats of topics, in Pulsar's own classes: every field is there, what this server has nothing like of keeps their 0. */
final class Stats {
    private final AdminTopics topics;
    private final KafkaGroups groups;

    Stats(AdminTopics topics) {
        this.topics = topics;
        this.groups = new KafkaGroups(topics);
    }

    /** @param who is shown the groups of Kafka's clients that it may see */
    TopicStatsImpl of(AdminTopics.Part part, Principal who) throws AdminException {
        return of(part, who, StatsOptions.USUAL);
    }

    TopicStatsImpl of(AdminTopics.Part part, Principal who, StatsOptions options) throws AdminException {
        List<TopicGroup> ofKafka = groups.in(part, who);
        TopicStatsImpl stats = await(part.log()
                .container()
                .ask(answer ->
                        Backlog.of(part.log()).findOldest(oldest -> answer.complete(collect(part, ofKafka, oldest)))));
        if (options.times()) {
            new BacklogTimes(topics, part).fill(stats, ofKafka);
        }
        return without(stats, options);
    }

    /** Leaves out what was not asked for; what it adds up to stays. */
    private static TopicStatsImpl without(TopicStatsImpl stats, StatsOptions options) {
        if (!options.publishers()) {
            stats.setPublishers(List.of());
        }
        if (!options.consumers()) {
            stats.subscriptions.values().forEach(s -> s.consumers = List.of());
        }
        return stats;
    }

    private TopicStatsImpl collect(AdminTopics.Part part, List<TopicGroup> ofKafka, Backlog.Oldest oldest) {
        PartitionLog log = part.log();
        HubView view = topics.view(part);
        TopicStatsImpl stats = new TopicStatsImpl();
        traffic(stats, view.flow());
        Map<String, SubscriptionStatsImpl> subscriptions = new HashMap<>();
        for (Cursor c : log.subscriptions().all()) {
            if (!Subscriptions.isReplicator(c.name())) {
                subscriptions.put(
                        c.name(), SubscriptionFigures.idle(log, c, view.flow().to(c.name())));
            }
        }
        for (SubscriptionView s : view.subscriptions()) {
            subscriptions.put(
                    s.name(), SubscriptionFigures.connected(log, s, view.flow().to(s.name())));
        }
        for (TopicGroup group : ofKafka) {
            subscriptions.putIfAbsent(GroupName.of(group), KafkaGroups.stats(part, group));
        }
        stats.subscriptions = subscriptions;
        for (SubscriptionStatsImpl s : subscriptions.values()) {
            stats.backlogSize = Math.max(stats.backlogSize, s.backlogSize);
            stats.nonContiguousDeletedMessagesRanges += s.nonContiguousDeletedMessagesRanges;
            stats.nonContiguousDeletedMessagesRangesSerializedSize +=
                    s.nonContiguousDeletedMessagesRangesSerializedSize;
        }
        view.producers().forEach(p -> stats.addPublisher(publisher(p)));
        stats.replication =
                ReplicationFigures.of(topics.services().replicators().views(log), view.producers());
        stats.storageSize = log.sizeBytes();
        BacklogQuotas quotas = topics.services().quotaChecks().quotas();
        stats.backlogQuotaLimitSize =
                quotas.of(part.topic(), BacklogQuotaType.destination_storage).getLimitSize();
        stats.backlogQuotaLimitTime =
                quotas.of(part.topic(), BacklogQuotaType.message_age).getLimitTime();
        stats.oldestBacklogMessageAgeSeconds = oldest.ageSeconds();
        stats.oldestBacklogMessageSubscriptionName = oldest.subscription();
        stats.deduplicationStatus = topics.services().deduplication().isOn(part.topic()) ? "Enabled" : "Disabled";
        stats.compaction = compaction(topics.services().views().last(log.partitionId()));
        stats.ownerBroker = topics.brokerId();
        stats.topicCreationTimeStamp = part.topic().createdAt();
        stats.lastPublishTimeStamp = Math.max(0, log.latestTimestamp().timestamp());
        return stats;
    }

    private static CompactionStatsImpl compaction(ViewCompactionQueue.Last last) {
        CompactionStatsImpl stats = new CompactionStatsImpl();
        stats.lastCompactionRemovedEventCount = last.removed();
        stats.lastCompactionSucceedTimestamp = last.succeededAt();
        stats.lastCompactionFailedTimestamp = last.failedAt();
        stats.lastCompactionDurationTimeInMills = last.durationMillis();
        return stats;
    }

    private static void traffic(TopicStatsImpl stats, HubView.Flow flow) {
        stats.msgInCounter = flow.in().messages();
        stats.bytesInCounter = flow.in().bytes();
        stats.msgRateIn = flow.in().messageRate();
        stats.msgThroughputIn = flow.in().byteRate();
        stats.averageMsgSize = averageSize(flow.in());
        stats.msgOutCounter = flow.out().messages();
        stats.bytesOutCounter = flow.out().bytes();
        stats.msgRateOut = flow.out().messageRate();
        stats.msgThroughputOut = flow.out().byteRate();
    }

    static double averageSize(Traffic.View in) {
        return in.messages() == 0 ? 0 : in.bytes() / (double) in.messages();
    }

    private static PublisherStatsImpl publisher(ProducerSession.View p) {
        PublisherStatsImpl stats = new PublisherStatsImpl();
        fill(stats, p);
        return stats;
    }

    static void fill(PublisherStatsImpl stats, ProducerSession.View p) {
        stats.accessMode = accessMode(p.identity().mode());
        stats.msgRateIn = p.in().messageRate();
        stats.msgThroughputIn = p.in().byteRate();
        stats.averageMsgSize = averageSize(p.in());
        stats.producerId = p.identity().id();
        stats.metadata = p.identity().metadata();
        stats.setProducerName(p.identity().name());
        stats.setAddress(p.address());
        stats.setClientVersion(p.clientVersion());
        stats.setConnectedSince(Instant.ofEpochMilli(p.connectedAt()).toString());
    }

    private static ProducerAccessMode accessMode(org.apache.pulsar.common.api.proto.ProducerAccessMode mode) {
        return switch (mode) {
            case Shared -> ProducerAccessMode.Shared;
            case Exclusive -> ProducerAccessMode.Exclusive;
            case WaitForExclusive -> ProducerAccessMode.WaitForExclusive;
            case ExclusiveWithFencing -> ProducerAccessMode.ExclusiveWithFencing;
        };
    }

    /** Stats of each of the topic's partitions, whichever node serves it, in their order. */
    List<TopicStatsImpl> ofEach(TopicRequest r, Topic topic, StatsOptions options) throws AdminException {
        return topics.each(
                r,
                topic,
                part -> of(part, r.request().principal(), options),
                node -> read(node.get("stats" + options.query())));
    }

    private static TopicStatsImpl read(String stats) throws AdminException {
        try {
            return ObjectMapperFactory.getMapper().reader().readValue(stats, TopicStatsImpl.class);
        } catch (JsonProcessingException e) {
            throw new AdminException(503, "the stats of another node are not those of this version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All partitions together, added up as Pulsar does it. */
    PartitionedTopicStatsImpl ofAll(TopicRequest r, Topic topic, boolean each) throws AdminException {
        var sum = new PartitionedTopicStatsImpl(
                new PartitionedTopicMetadata(topic.partitions().size()));
        int partition = 0;
        for (TopicStatsImpl stats : ofEach(r, topic, StatsOptions.of(r.request()))) {
            sum.add(stats);
            if (each) {
                sum.partitions.put(TopicLists.nameOf(topic, partition), stats);
            }
            partition++;
        }
        return sum;
    }
}
