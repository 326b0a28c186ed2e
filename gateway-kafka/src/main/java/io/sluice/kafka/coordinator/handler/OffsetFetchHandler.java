package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.Backend;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.format.TopicNames;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.OffsetFetchRequest;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.jspecify.annotations.Nullable;

/**
 * OffsetFetch, all versions that Kafka speaks: one group up to v7, many from v8; topics by name, from v10 by id. A group
 * that cannot be answered for gets its own error.
 */
public final class OffsetFetchHandler implements ApiHandler {
    private final GroupCoordinators groups;

    OffsetFetchHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_FETCH;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        OffsetFetchRequest asked = (OffsetFetchRequest) request;
        Answers.send(
                context,
                () -> fetchAll(context, asked),
                fetched -> new OffsetFetchResponse.Builder(fetched)
                        .build(context.version())
                        .data());
    }

    private CompletableFuture<List<OffsetFetchResponseGroup>> fetchAll(
            RequestContext context, OffsetFetchRequest asked) {
        List<CompletableFuture<OffsetFetchResponseGroup>> answers = asked.groups().stream()
                .map(group -> fetch(context, group, asked.requireStable()))
                .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<OffsetFetchResponseGroup> fetch(
            RequestContext context, OffsetFetchRequestGroup group, boolean stable) {
        if (group.memberId() == null && group.memberEpoch() >= 0) {
            group.setMemberId(""); // which no member has; with none at all, Kafka's coordinator fails
        }
        boolean byId = OffsetFetchRequest.useTopicIds(context.version());
        List<OffsetFetchResponseTopics> unknown = new ArrayList<>();
        boolean all = OffsetFetchRequest.requestAllOffsets(group);
        if (byId && !all) {
            takeOutUnknown(group, unknown);
            if (group.topics().isEmpty()) {
                return CompletableFuture.completedFuture(new OffsetFetchResponseGroup()
                        .setGroupId(group.groupId())
                        .setTopics(unknown));
            }
        }
        return groups.service()
                .fetchOffsets(context.toKafka(), group, stable)
                .exceptionally(
                        failure -> OffsetFetchResponse.groupError(group, Answers.errorOf(failure), context.version()))
                .thenApply(fetched -> byId ? withIds(fetched, unknown) : fetched);
    }

    /** Fills in names; topics without one are answered here. */
    private void takeOutUnknown(OffsetFetchRequestGroup group, List<OffsetFetchResponseTopics> unknown) {
        List<OffsetFetchRequestTopics> known = new ArrayList<>(group.topics().size());
        for (OffsetFetchRequestTopics topic : group.topics()) {
            @Nullable Topic found = groups.backend().topic(topic.topicId());
            if (found == null) {
                unknown.add(unknownTopic(topic));
            } else {
                known.add(topic.setName(TopicNames.toKafka(found.name())));
            }
        }
        group.setTopics(known);
    }

    private static OffsetFetchResponseTopics unknownTopic(OffsetFetchRequestTopics topic) {
        return new OffsetFetchResponseTopics()
                .setTopicId(topic.topicId())
                .setPartitions(topic.partitionIndexes().stream()
                        .map(partition -> new OffsetFetchResponsePartitions()
                                .setPartitionIndex(partition)
                                .setCommittedOffset(OffsetFetchResponse.INVALID_OFFSET)
                                .setMetadata(OffsetFetchResponse.NO_METADATA)
                                .setErrorCode(Errors.UNKNOWN_TOPIC_ID.code()))
                        .toList());
    }

    /** The coordinator keeps names. Topics deleted since are left out when all were asked for: they have no id to go by. */
    private OffsetFetchResponseGroup withIds(
            OffsetFetchResponseGroup fetched, List<OffsetFetchResponseTopics> unknown) {
        List<OffsetFetchResponseTopics> topics = new ArrayList<>(unknown);
        for (OffsetFetchResponseTopics topic : fetched.topics()) {
            @Nullable Topic found = groups.backend().topic(topic.name());
            if (found != null) {
                topics.add(topic.setTopicId(Backend.kafkaId(found)));
            }
        }
        return fetched.setTopics(topics);
    }
}
