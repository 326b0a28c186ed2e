package io.sluice.kafka.coordinator;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.protocol.ApiKeys;

/** Committed offsets of the groups coordinated here, requested from Kafka's coordinator as a client would. Blocks. */
public final class CommittedOffsets {
    private final GroupCoordinators groups;
    private final Duration patience;

    /** @param patience for one look at all groups */
    public CommittedOffsets(GroupCoordinators groups, Duration patience) {
        this.groups = groups;
        this.patience = patience;
    }

    /** Ids of the groups, at most so many. */
    public List<String> groups(int most) throws InterruptedException {
        var all = groups.service().listGroups(OwnRequest.of(ApiKeys.LIST_GROUPS), new ListGroupsRequestData());
        return await(all).groups().stream()
                .map(ListedGroup::groupId)
                .filter(groups::serves)
                .sorted()
                .limit(most)
                .toList();
    }

    /** By group, in the order given; a group that cannot be answered for has none. */
    public Map<String, Map<TopicPartition, Long>> of(List<String> ids) throws InterruptedException {
        Map<String, CompletableFuture<OffsetFetchResponseGroup>> asked = new LinkedHashMap<>();
        for (String id : ids) {
            // No topics means all of them, no member that it need not be one.
            var group =
                    new OffsetFetchRequestGroup().setGroupId(id).setTopics(null).setMemberEpoch(-1);
            asked.put(id, groups.service().fetchOffsets(OwnRequest.of(ApiKeys.OFFSET_FETCH), group, false));
        }
        Map<String, Map<TopicPartition, Long>> committed = new LinkedHashMap<>();
        for (Map.Entry<String, CompletableFuture<OffsetFetchResponseGroup>> group : asked.entrySet()) {
            var answer = group.getValue().exceptionally(failure -> new OffsetFetchResponseGroup());
            committed.put(group.getKey(), offsets(await(answer)));
        }
        return committed;
    }

    private static Map<TopicPartition, Long> offsets(OffsetFetchResponseGroup group) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        group.topics()
                .forEach(topic -> topic.partitions()
                        .forEach(partition -> offsets.put(
                                new TopicPartition(topic.name(), partition.partitionIndex()),
                                partition.committedOffset())));
        return offsets;
    }

    private <T> T await(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the group coordinator does not answer: " + e.getMessage(), e);
        }
    }
}
