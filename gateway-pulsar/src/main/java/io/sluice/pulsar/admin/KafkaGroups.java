package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.DELETE;
import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.group.TopicGroup;
import io.sluice.broker.group.TopicGroup.Member;
import io.sluice.broker.group.TopicGroups;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.hub.ChangeSubscription.Change;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.policies.data.stats.ConsumerStatsImpl;
import org.apache.pulsar.common.policies.data.stats.SubscriptionStatsImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka's groups as subscriptions of the topics that they have committed offsets of, or have members for: shown, moved and forgotten, by a
 * {@link GroupName}; the rights of both protocols hold. A group whose members read is changed by them only.
 */
final class KafkaGroups {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaGroups.class);

    private final AdminTopics topics;
    private final TopicGroups groups;

    KafkaGroups(AdminTopics topics) {
        this.topics = topics;
        this.groups = topics.services().groups();
    }

    /** Partition of a part's log; a topic without partitions has one. */
    private static int partitionOf(AdminTopics.Part part) {
        return Math.max(0, part.partition());
    }

    // ---- shown

    /**
     * Groups that read the partition, of those that the caller may see. While a coordinator does not answer there are none: what else is
     * known of the topic is shown.
     */
    List<TopicGroup> in(AdminTopics.Part part, Principal who) {
        try {
            return await(groups.of(part.topic().name())).stream()
                    .filter(group -> group.reads(partitionOf(part))
                            && topics.services().topics().showsGroup(who, group.id()))
                    .toList();
        } catch (AdminException e) {
            LOG.debug("Kafka's groups of {} are not shown: {}", part.name(), e.getMessage());
            return List.of();
        }
    }

    /**
     * On the partition's loop. A group hands a partition to one of its members, as a Failover subscription does. Where it has committed nothing,
     * everything is its backlog.
     */
    static SubscriptionStatsImpl stats(AdminTopics.Part part, TopicGroup group) {
        PartitionLog log = part.log();
        SubscriptionStatsImpl stats = new SubscriptionStatsImpl();
        long from = position(part, group);
        stats.msgBacklog = Math.max(0, log.readableEnd(Isolation.COMMITTED) - from);
        stats.msgBacklogNoDelayed = stats.msgBacklog;
        stats.backlogSize = log.bytesAfter(from);
        stats.isDurable = true;
        stats.type = group.members().isEmpty() ? "None" : "Failover";
        stats.consumers = group.members().stream()
                .filter(member -> member.partitions().contains(partitionOf(part)))
                .map(KafkaGroups::consumer)
                .toList();
        stats.activeConsumerName = stats.consumers.isEmpty() ? null : stats.consumers.getFirst().consumerName;
        return stats;
    }

    /** On the partition's loop. */
    static long position(AdminTopics.Part part, TopicGroup group) {
        return Math.max(
                group.offsets().getOrDefault(partitionOf(part), 0L), part.log().startOffset());
    }

    private static ConsumerStatsImpl consumer(Member member) {
        ConsumerStatsImpl stats = new ConsumerStatsImpl();
        stats.consumerName = member.clientId();
        stats.metadata = Map.of();
        stats.setAddress(member.address().replaceFirst("^/", "")); // Kafka writes them so
        return stats;
    }

    // ---- changed

    /** Where a group's position in a partition goes. */
    interface Target {
        long offset(PartitionLog log, long committed) throws AdminException;
    }

    /** Target of a change that subscriptions have as well. */
    static Target target(Change change, long time) {
        return switch (change) {
            case MOVE_TO_START -> (log, _) -> await(log.container().ask(log::startOffset));
            case MOVE_TO_END -> (log, _) -> await(log.container().ask(() -> log.readableEnd(Isolation.COMMITTED)));
            case MOVE_TO_TIME -> (log, _) -> atTime(log, time);
            case DELETE, MOVE_ALL_TO_END -> throw new IllegalArgumentException(change + " moves not one group");
        };
    }

    private static long atTime(PartitionLog log, long time) throws AdminException {
        return await(log.container()
                .<Long>ask(answer -> log.offsetAtTime(time, new PartitionLog.TimeReply() {
                    @Override
                    public void found(PartitionLog.OffsetAndTime base) {
                        answer.complete(base.offset() < 0 ? log.readableEnd(Isolation.COMMITTED) : base.offset());
                    }

                    @Override
                    public void failed(StoreFailure why) {
                        answer.fail(why);
                    }
                })));
    }

    /** Over so many messages, or all that there are. */
    static Target skip(long count) {
        return (log, committed) -> await(log.container().ask(() -> {
            long end = log.readableEnd(Isolation.COMMITTED);
            long from = Math.min(end, Math.max(committed, log.startOffset()));
            return from + Math.min(count, end - from);
        }));
    }

    /** Moves the position in one partition. */
    void move(TopicRequest r, AdminTopics.Part part, Target target) throws AdminException {
        TopicGroup group = require(r, READ, part.topic());
        long committed = group.offsets().getOrDefault(partitionOf(part), 0L);
        Map<Integer, Long> offsets = Map.of(partitionOf(part), target.offset(part.log(), committed));
        check(await(groups.move(part.topic().name(), group.id(), offsets)), group);
    }

    /** Deletes the positions in all partitions of the topic. */
    void forget(TopicRequest r, Topic topic) throws AdminException {
        TopicGroup group = require(r, DELETE, topic);
        if (group.offsets().isEmpty()) {
            check(TopicGroups.Outcome.IN_USE, group); // else it would not be here
        }
        check(await(groups.forget(topic.name(), group.id(), group.offsets().keySet())), group);
    }

    /** A group that the caller may not see is not there. */
    private TopicGroup require(TopicRequest r, Operation operation, Topic topic) throws AdminException {
        String subscription = r.get("subscription");
        Principal who = r.request().principal();
        TopicGroup group = await(groups.of(topic.name())).stream()
                .filter(each -> GroupName.of(each).equals(subscription)
                        && topics.services().topics().showsGroup(who, each.id()))
                .findFirst()
                .orElseThrow(() -> SubscriptionRoutes.notFound(topic, subscription));
        if (!topics.services().topics().allowsGroup(who, operation, group.id())) {
            throw new AdminException(403, "Unauthorized: " + operation + " of group " + group.id());
        }
        return group;
    }

    private static void check(TopicGroups.Outcome outcome, TopicGroup group) throws AdminException {
        switch (outcome) {
            case DONE -> {}
            case MISSING -> throw new AdminException(404, "Group " + group.id() + " has no position in the topic");
            case IN_USE ->
                throw new AdminException(
                        412, "Group " + group.id() + " has active members, and only they change its position");
            case REFUSED -> throw new AdminException(412, "The coordinator of group " + group.id() + " refused that");
        }
    }
}
