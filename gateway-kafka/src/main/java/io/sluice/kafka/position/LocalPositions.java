package io.sluice.kafka.position;

import io.sluice.broker.group.TopicGroup;
import io.sluice.broker.group.TopicGroup.Member;
import io.sluice.broker.group.TopicGroups.Outcome;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.coordinator.OwnRequest;
import io.sluice.kafka.format.TopicNames;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/** Positions of the groups that this node coordinates, requested from Kafka's coordinator as a client would. Any thread; does not block. */
final class LocalPositions {
    /** Groups that are asked for their offsets. */
    private static final int MOST_ASKED = 10_000;

    /** Groups that are told of. */
    private static final int MOST_TOLD = 1_000;

    private static final String CLASSIC = "classic";
    /** Groups of {@code KafkaConsumer}; others have offsets that mean something else. */
    private static final Set<String> TYPES = Set.of(CLASSIC, "consumer");

    private static final Set<String> WITHOUT_MEMBERS = Set.of("Empty", "Dead");

    private final GroupCoordinators groups;

    LocalPositions(GroupCoordinators groups) {
        this.groups = groups;
    }

    /** @param topic as Kafka calls it */
    CompletableFuture<List<TopicGroup>> of(String topic) {
        TopicName name = TopicNames.fromKafka(topic);
        Topic found = name == null ? null : groups.services().topics().find(name);
        if (found == null) {
            return CompletableFuture.completedFuture(List.of());
        }
        List<Integer> partitions =
                IntStream.range(0, found.partitions().size()).boxed().toList();
        return groups.service()
                .listGroups(OwnRequest.of(ApiKeys.LIST_GROUPS), new ListGroupsRequestData())
                .thenCompose(listed -> positions(served(listed), topic, partitions));
    }

    private List<ListedGroup> served(ListGroupsResponseData listed) {
        throwIf(listed.errorCode());
        return listed.groups().stream()
                .filter(group -> TYPES.contains(group.groupType()) && groups.serves(group.groupId()))
                .limit(MOST_ASKED)
                .toList();
    }

    private CompletableFuture<List<TopicGroup>> positions(
            List<ListedGroup> listed, String topic, List<Integer> partitions) {
        Map<ListedGroup, CompletableFuture<Map<Integer, Long>>> asked = new HashMap<>();
        listed.forEach(group -> asked.put(group, offsets(group.groupId(), topic, partitions)));
        return all(asked)
                .thenCombine(
                        members(listed, topic),
                        (offsets, members) -> listed.stream()
                                .map(group -> new TopicGroup(
                                        group.groupId(),
                                        offsets.getOrDefault(group, Map.of()),
                                        members.getOrDefault(group.groupId(), List.of())))
                                .filter(TopicGroup::reads)
                                .limit(MOST_TOLD)
                                .toList());
    }

    private CompletableFuture<Map<Integer, Long>> offsets(String group, String topic, List<Integer> partitions) {
        var asked = new OffsetFetchRequestGroup()
                .setGroupId(group)
                .setMemberEpoch(-1)
                .setTopics(List.of(new OffsetFetchRequestTopics().setName(topic).setPartitionIndexes(partitions)));
        return groups.service()
                .fetchOffsets(OwnRequest.of(ApiKeys.OFFSET_FETCH), asked, false)
                .thenApply(LocalPositions::committed);
    }

    private static Map<Integer, Long> committed(OffsetFetchResponseGroup answer) {
        return answer.topics().stream()
                .flatMap(topic -> topic.partitions().stream())
                .filter(partition -> partition.errorCode() == Errors.NONE.code() && partition.committedOffset() >= 0)
                .collect(Collectors.toMap(
                        OffsetFetchResponsePartitions::partitionIndex, OffsetFetchResponsePartitions::committedOffset));
    }

    /** By group; those without members are not asked. */
    private CompletableFuture<Map<String, List<Member>>> members(List<ListedGroup> listed, String topic) {
        Map<Boolean, List<String>> byKind = listed.stream()
                .filter(group -> !WITHOUT_MEMBERS.contains(group.groupState()))
                .collect(Collectors.partitioningBy(
                        group -> group.groupType().equals(CLASSIC),
                        Collectors.mapping(ListedGroup::groupId, Collectors.toList())));
        var classic = groups.service().describeGroups(OwnRequest.of(ApiKeys.DESCRIBE_GROUPS), byKind.get(true));
        var newer = groups.service()
                .consumerGroupDescribe(OwnRequest.of(ApiKeys.CONSUMER_GROUP_DESCRIBE), byKind.get(false));
        return classic.thenCombine(newer, (ofClassic, ofNewer) -> {
            Map<String, List<Member>> members = new HashMap<>();
            ofClassic.forEach(group -> members.put(
                    group.groupId(),
                    group.members().stream().map(each -> member(each, topic)).toList()));
            ofNewer.forEach(group -> members.put(
                    group.groupId(),
                    group.members().stream().map(each -> member(each, topic)).toList()));
            return members;
        });
    }

    private static Member member(DescribeGroupsResponseData.DescribedGroupMember member, String topic) {
        return new Member(member.clientId(), member.clientHost(), assigned(member.memberAssignment(), topic));
    }

    /** Other members than consumers may be assigned anything. */
    private static Set<Integer> assigned(byte[] assignment, String topic) {
        try {
            return assignment.length == 0
                    ? Set.of()
                    : ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(assignment)).partitions().stream()
                            .filter(partition -> partition.topic().equals(topic))
                            .map(TopicPartition::partition)
                            .collect(Collectors.toSet());
        } catch (SerializationException e) {
            return Set.of();
        }
    }

    private static Member member(ConsumerGroupDescribeResponseData.Member member, String topic) {
        Set<Integer> partitions = new HashSet<>();
        member.assignment().topicPartitions().stream()
                .filter(each -> each.topicName().equals(topic))
                .forEach(each -> partitions.addAll(each.partitions()));
        return new Member(member.clientId(), member.clientHost(), partitions);
    }

    // ---- changes

    /** Commits offsets as an admin client does, which is no member. */
    CompletableFuture<Outcome> move(String group, String topic, Map<Integer, Long> offsets) {
        List<OffsetCommitRequestPartition> partitions = new ArrayList<>();
        offsets.forEach((partition, offset) -> partitions.add(
                new OffsetCommitRequestPartition().setPartitionIndex(partition).setCommittedOffset(offset)));
        var asked = new OffsetCommitRequestData()
                .setGroupId(group)
                .setTopics(List.of(new OffsetCommitRequestTopic().setName(topic).setPartitions(partitions)));
        return groups.service(group)
                .commitOffsets(OwnRequest.of(ApiKeys.OFFSET_COMMIT), asked, BufferSupplier.NO_CACHING)
                .thenApply(answer -> answer.topics().stream()
                        .flatMap(each -> each.partitions().stream())
                        .map(OffsetCommitResponsePartition::errorCode)
                        .map(LocalPositions::outcome)
                        .filter(outcome -> outcome != Outcome.DONE)
                        .findFirst()
                        .orElse(Outcome.DONE));
    }

    CompletableFuture<Outcome> forget(String group, String topic, Set<Integer> partitions) {
        var asked = new OffsetDeleteRequestData()
                .setGroupId(group)
                .setTopics(new OffsetDeleteRequestTopicCollection(List.of(new OffsetDeleteRequestTopic()
                                .setName(topic)
                                .setPartitions(partitions.stream()
                                        .map(each -> new OffsetDeleteRequestPartition().setPartitionIndex(each))
                                        .toList()))
                        .iterator()));
        return groups.service(group)
                .deleteOffsets(OwnRequest.of(ApiKeys.OFFSET_DELETE), asked, BufferSupplier.NO_CACHING)
                .thenApply(LocalPositions::deleted);
    }

    private static Outcome deleted(OffsetDeleteResponseData answer) {
        Outcome whole = outcome(answer.errorCode());
        return whole != Outcome.DONE
                ? whole
                : answer.topics().stream()
                        .flatMap(topic -> topic.partitions().stream())
                        .map(partition -> outcome(partition.errorCode()))
                        .filter(outcome -> outcome != Outcome.DONE)
                        .findFirst()
                        .orElse(Outcome.DONE);
    }

    private static Outcome outcome(short code) {
        return switch (Errors.forCode(code)) {
            case NONE -> Outcome.DONE;
            case UNKNOWN_MEMBER_ID, GROUP_SUBSCRIBED_TO_TOPIC, NON_EMPTY_GROUP, STALE_MEMBER_EPOCH -> Outcome.IN_USE;
            case GROUP_ID_NOT_FOUND -> Outcome.MISSING;
            case NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE -> {
                throwIf(code);
                yield Outcome.REFUSED;
            }
            default -> Outcome.REFUSED;
        };
    }

    private static void throwIf(short code) {
        if (code != Errors.NONE.code()) {
            throw new StoreException(notHere(Errors.forCode(code).message()));
        }
    }

    static StoreFailure notHere(String why) {
        return new StoreFailure.NotOwner(-1, why);
    }

    private static <K, V> CompletableFuture<Map<K, V>> all(Map<K, CompletableFuture<V>> asked) {
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
                .thenApply(_ -> asked.entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, each -> each.getValue().join())));
    }
}
