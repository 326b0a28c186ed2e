package io.sluice.kafka.subscription;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.step.ChangeIdleSubscription.Outcome;
import io.sluice.broker.topic.step.LookAtSubscription.Position;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.TopicLookup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.jspecify.annotations.Nullable;

/**
 * Positions of subscriptions as a group's committed offsets: fetched, set and deleted. Rights are looked at before. A group has offsets of its
 * own topic only, and those of what is not there are set by making the subscription. Any thread; does not block.
 */
public final class SubscriptionOffsets {
    private final KafkaServices services;
    private final SubscriptionPositions positions;

    public SubscriptionOffsets(KafkaServices services) {
        this.services = services;
        this.positions = new SubscriptionPositions(services);
    }

    static boolean isRead(Map<Integer, Position> where) {
        return where.values().stream().anyMatch(each -> !each.readers().isEmpty());
    }

    private @Nullable Topic topic(@Nullable SubscriptionGroup group) {
        return group != null && services.access().find(group.topic()) instanceof TopicLookup.Found(Topic topic)
                ? topic
                : null;
    }

    // ---- fetch

    /**
     * As OffsetFetch answers.
     *
     * @param stable whether a position is wanted that no open transaction may change
     */
    public CompletableFuture<OffsetFetchResponseGroup> fetch(OffsetFetchRequestGroup asked, boolean stable) {
        SubscriptionGroup group = SubscriptionGroup.parse(asked.groupId());
        Topic topic = topic(group);
        OffsetFetchResponseGroup answer = new OffsetFetchResponseGroup().setGroupId(asked.groupId());
        if (group == null || topic == null) {
            return CompletableFuture.completedFuture(answer.setTopics(withoutOffsets(asked.topics(), null)));
        }
        if (asked.topics() == null) {
            return positions.of(topic, group.subscription()).thenApply(where -> {
                var offsets = where.entrySet().stream()
                        .filter(each -> each.getValue().exists())
                        .map(each -> offset(each.getKey(), each.getValue(), stable))
                        .toList();
                return answer.setTopics(
                        offsets.isEmpty()
                                ? List.of()
                                : List.of(answerOf(group.topic()).setPartitions(offsets)));
            });
        }
        List<OffsetFetchResponseTopics> topics = new ArrayList<>(withoutOffsets(asked.topics(), group.topic()));
        List<Integer> partitions = asked.topics().stream()
                .filter(each -> each.name().equals(group.topic()))
                .flatMap(each -> each.partitionIndexes().stream())
                .distinct()
                .toList();
        List<Integer> known = partitions.stream()
                .filter(p -> KafkaServices.hasPartition(topic, p))
                .toList();
        return positions.of(topic, group.subscription(), known).thenApply(where -> {
            if (!partitions.isEmpty()) {
                topics.add(answerOf(group.topic())
                        .setPartitions(partitions.stream()
                                .map(p -> where.containsKey(p) ? offset(p, where.get(p), stable) : none(p))
                                .toList()));
            }
            return answer.setTopics(topics);
        });
    }

    private static OffsetFetchResponseTopics answerOf(String topic) {
        return new OffsetFetchResponseTopics().setName(topic);
    }

    /** Answers for topics but the one. */
    private static List<OffsetFetchResponseTopics> withoutOffsets(
            @Nullable List<OffsetFetchRequestTopics> asked, @Nullable String but) {
        return asked == null
                ? List.of()
                : asked.stream()
                        .filter(each -> !each.name().equals(but))
                        .map(each -> answerOf(each.name())
                                .setTopicId(each.topicId())
                                .setPartitions(each.partitionIndexes().stream()
                                        .map(SubscriptionOffsets::none)
                                        .toList()))
                        .toList();
    }

    private static OffsetFetchResponsePartitions none(int partition) {
        return new OffsetFetchResponsePartitions()
                .setPartitionIndex(partition)
                .setCommittedOffset(OffsetFetchResponse.INVALID_OFFSET)
                .setMetadata(OffsetFetchResponse.NO_METADATA);
    }

    private static OffsetFetchResponsePartitions offset(int partition, Position position, boolean stable) {
        if (!position.exists()) {
            return none(partition);
        }
        if (stable && position.transactions() > 0) {
            return none(partition).setErrorCode(Errors.UNSTABLE_OFFSET_COMMIT.code());
        }
        return none(partition).setCommittedOffset(position.ackedBelow()).setMetadata(metadata(position));
    }

    /** Facts that a committed offset cannot say, in the form of a URL's query; empty if there is no such thing. */
    static String metadata(Position position) {
        List<String> facts = new ArrayList<>();
        if (position.ackedAbove() > 0) {
            facts.add("acknowledged=" + position.ackedAbove());
            facts.add("ranges=" + position.ranges());
        }
        if (position.transactions() > 0) {
            facts.add("transactions=" + position.transactions());
        }
        return String.join("&", facts);
    }

    // ---- commit

    /** As OffsetCommit of an admin client does, which is no member. Partitions are there. */
    public CompletableFuture<OffsetCommitResponseData> commit(OffsetCommitRequestData asked) {
        SubscriptionGroup group = SubscriptionGroup.parse(asked.groupId());
        Topic topic = topic(group);
        boolean isMember =
                asked.generationIdOrMemberEpoch() >= 0 || !asked.memberId().isEmpty();
        if (group == null || topic == null || isMember) {
            Errors why = isMember ? Errors.UNKNOWN_MEMBER_ID : Errors.INVALID_GROUP_ID;
            return CompletableFuture.completedFuture(committed(asked, group, _ -> why));
        }
        Map<Integer, Long> offsets = new LinkedHashMap<>();
        for (OffsetCommitRequestTopic each : asked.topics()) {
            if (each.name().equals(group.topic())) {
                each.partitions().stream()
                        .filter(p -> p.committedOffset() >= 0)
                        .forEach(p -> offsets.put(p.partitionIndex(), p.committedOffset()));
            }
        }
        return positions.of(topic, group.subscription()).thenCompose(where -> {
            if (isRead(where)) {
                return CompletableFuture.completedFuture(committed(asked, group, _ -> Errors.UNKNOWN_MEMBER_ID));
            }
            return positions
                    .set(topic, group.subscription(), offsets)
                    .thenApply(outcomes -> committed(asked, group, p -> ofCommit(outcomes.get(p))));
        });
    }

    private static Errors ofCommit(@Nullable Outcome outcome) {
        return switch (outcome) {
            case DONE -> Errors.NONE;
            case IN_USE -> Errors.UNKNOWN_MEMBER_ID;
            case MISSING -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
            case REFUSED -> Errors.GROUP_MAX_SIZE_REACHED;
            case null -> Errors.INVALID_REQUEST;
        };
    }

    /** Topics but the group's are refused. */
    private static OffsetCommitResponseData committed(
            OffsetCommitRequestData asked, @Nullable SubscriptionGroup group, Function<Integer, Errors> ofPartition) {
        OffsetCommitResponseData answer = new OffsetCommitResponseData();
        for (OffsetCommitRequestTopic each : asked.topics()) {
            boolean isOther = group != null && !each.name().equals(group.topic());
            OffsetCommitResponseTopic topic =
                    new OffsetCommitResponseTopic().setName(each.name()).setTopicId(each.topicId());
            for (OffsetCommitRequestPartition partition : each.partitions()) {
                Errors error = isOther ? Errors.INVALID_REQUEST : ofPartition.apply(partition.partitionIndex());
                topic.partitions()
                        .add(new OffsetCommitResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
            answer.topics().add(topic);
        }
        return answer;
    }

    // ---- delete

    /** As OffsetDelete does: the partitions lose the subscription. They are there. */
    public CompletableFuture<OffsetDeleteResponseData> delete(OffsetDeleteRequestData asked) {
        SubscriptionGroup group = SubscriptionGroup.parse(asked.groupId());
        Topic topic = topic(group);
        if (group == null || topic == null) {
            return CompletableFuture.completedFuture(unknown());
        }
        OffsetDeleteRequestTopic own = asked.topics().find(group.topic());
        List<Integer> partitions = own == null
                ? List.of()
                : own.partitions().stream()
                        .map(OffsetDeleteRequestPartition::partitionIndex)
                        .toList();
        return positions.of(topic, group.subscription()).thenCompose(where -> {
            if (where.values().stream().noneMatch(Position::exists)) {
                return CompletableFuture.completedFuture(unknown());
            }
            if (isRead(where)) {
                return CompletableFuture.completedFuture(deleted(asked, group, _ -> Errors.GROUP_SUBSCRIBED_TO_TOPIC));
            }
            return positions
                    .delete(topic, group.subscription(), partitions)
                    .thenApply(outcomes -> deleted(
                            asked,
                            group,
                            p -> outcomes.get(p) == Outcome.IN_USE ? Errors.GROUP_SUBSCRIBED_TO_TOPIC : Errors.NONE));
        });
    }

    private static OffsetDeleteResponseData unknown() {
        return new OffsetDeleteResponseData().setErrorCode(Errors.GROUP_ID_NOT_FOUND.code());
    }

    /** Other topics have nothing to delete, as Kafka's coordinator has it. */
    private static OffsetDeleteResponseData deleted(
            OffsetDeleteRequestData asked, SubscriptionGroup group, Function<Integer, Errors> ofPartition) {
        OffsetDeleteResponseData answer = new OffsetDeleteResponseData();
        for (OffsetDeleteRequestTopic each : asked.topics()) {
            boolean isOwn = each.name().equals(group.topic());
            OffsetDeleteResponseTopic topic = new OffsetDeleteResponseTopic().setName(each.name());
            for (OffsetDeleteRequestPartition partition : each.partitions()) {
                Errors error = isOwn ? ofPartition.apply(partition.partitionIndex()) : Errors.NONE;
                topic.partitions()
                        .add(new OffsetDeleteResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
            answer.topics().add(topic);
        }
        return answer;
    }
}
