package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsRequestData.DescribeShareGroupOffsetsRequestGroup;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsRequestData.DescribeShareGroupOffsetsRequestTopic;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsResponseData;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsResponseData.DescribeShareGroupOffsetsResponseGroup;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsResponseData.DescribeShareGroupOffsetsResponsePartition;
import org.apache.kafka.common.message.DescribeShareGroupOffsetsResponseData.DescribeShareGroupOffsetsResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.DescribeShareGroupOffsetsRequest;

/** DescribeShareGroupOffsets, versions 0-1: where share groups are in partitions, and how far behind. Topics that the client may not describe are
 * refused one by one, or, where it asks for all, left out. */
public final class DescribeShareGroupOffsetsHandler implements ApiHandler {
    private final GroupCoordinators groups;

    DescribeShareGroupOffsetsHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_SHARE_GROUP_OFFSETS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        DescribeShareGroupOffsetsRequestData asked = ((DescribeShareGroupOffsetsRequest) request).data();
        List<CompletableFuture<DescribeShareGroupOffsetsResponseGroup>> answers =
                asked.groups().stream().map(group -> describe(context, group)).toList();
        Answers.send(
                context,
                () -> CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)),
                _ -> new DescribeShareGroupOffsetsResponseData()
                        .setGroups(answers.stream().map(CompletableFuture::join).toList()));
    }

    private CompletableFuture<DescribeShareGroupOffsetsResponseGroup> describe(
            RequestContext context, DescribeShareGroupOffsetsRequestGroup asked) {
        Principal who = context.principal();
        if (!GroupRights.allows(groups, who, Operation.DESCRIBE, asked.groupId())) {
            return refused(asked.groupId(), Errors.GROUP_AUTHORIZATION_FAILED);
        }
        if (SubscriptionGroup.isReserved(asked.groupId())) {
            return refused(asked.groupId(), Errors.GROUP_ID_NOT_FOUND);
        }
        if (!groups.serves(asked.groupId())) {
            return refused(asked.groupId(), Errors.NOT_COORDINATOR);
        }
        if (asked.topics() == null) {
            return groups.service()
                    .describeShareGroupAllOffsets(context.toKafka(), asked)
                    .thenApply(answer -> answer.setTopics(answer.topics().stream()
                            .filter(topic ->
                                    groups.services().access().shows(who, Operation.DESCRIBE, topic.topicName()))
                            .toList()));
        }
        List<DescribeShareGroupOffsetsResponseTopic> denied = new ArrayList<>(0);
        List<DescribeShareGroupOffsetsRequestTopic> allowed = new ArrayList<>();
        for (DescribeShareGroupOffsetsRequestTopic topic : asked.topics()) {
            if (groups.services().access().find(who, Operation.DESCRIBE, topic.topicName())
                    instanceof TopicLookup.Denied) {
                denied.add(denied(topic));
            } else {
                allowed.add(topic);
            }
        }
        return groups.service()
                .describeShareGroupOffsets(context.toKafka(), asked.duplicate().setTopics(allowed))
                .thenApply(answer -> {
                    List<DescribeShareGroupOffsetsResponseTopic> topics = new ArrayList<>(answer.topics());
                    topics.addAll(denied);
                    return answer.setTopics(topics);
                });
    }

    private static DescribeShareGroupOffsetsResponseTopic denied(DescribeShareGroupOffsetsRequestTopic topic) {
        Errors error = Errors.TOPIC_AUTHORIZATION_FAILED;
        return new DescribeShareGroupOffsetsResponseTopic()
                .setTopicName(topic.topicName())
                .setTopicId(Uuid.ZERO_UUID)
                .setPartitions(topic.partitions().stream()
                        .map(partition -> new DescribeShareGroupOffsetsResponsePartition()
                                .setPartitionIndex(partition)
                                .setStartOffset(-1)
                                .setErrorCode(error.code())
                                .setErrorMessage(error.message()))
                        .toList());
    }

    private static CompletableFuture<DescribeShareGroupOffsetsResponseGroup> refused(String group, Errors error) {
        return CompletableFuture.completedFuture(new DescribeShareGroupOffsetsResponseGroup()
                .setGroupId(group)
                .setErrorCode(error.code())
                .setErrorMessage(error.message()));
    }
}
