package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData.AlterShareGroupOffsetsRequestTopic;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData.AlterShareGroupOffsetsRequestTopicCollection;
import org.apache.kafka.common.message.AlterShareGroupOffsetsResponseData.AlterShareGroupOffsetsResponsePartition;
import org.apache.kafka.common.message.AlterShareGroupOffsetsResponseData.AlterShareGroupOffsetsResponseTopic;
import org.apache.kafka.common.message.AlterShareGroupOffsetsResponseData.AlterShareGroupOffsetsResponseTopicCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AlterShareGroupOffsetsRequest;

/** AlterShareGroupOffsets, version 0: where a share group without members goes on. Topics that the client may not read are refused one by one. */
public final class AlterShareGroupOffsetsHandler implements ApiHandler {
    private final GroupCoordinators groups;

    AlterShareGroupOffsetsHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ALTER_SHARE_GROUP_OFFSETS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        AlterShareGroupOffsetsRequestData asked = ((AlterShareGroupOffsetsRequest) request).data();
        if (GroupRights.refuses(groups, context, Operation.READ, asked.groupId())) {
            return;
        }
        if (SubscriptionGroup.isReserved(asked.groupId())) {
            context.fail(Errors.GROUP_ID_NOT_FOUND);
            return;
        }
        var refused = new AlterShareGroupOffsetsResponseTopicCollection();
        var allowed = new AlterShareGroupOffsetsRequestTopicCollection();
        for (AlterShareGroupOffsetsRequestTopic topic : asked.topics()) {
            if (groups.services().access().find(context.principal(), Operation.READ, topic.topicName())
                    instanceof TopicLookup.Refused why) {
                refused.add(refused(topic, why.error()));
            } else {
                allowed.add(topic.duplicate());
            }
        }
        Answers.send(
                context,
                () -> groups.service(asked.groupId())
                        .alterShareGroupOffsets(
                                context.toKafka(),
                                asked.groupId(),
                                asked.duplicate().setTopics(allowed)),
                answer -> {
                    if (answer.errorCode() == Errors.NONE.code()) {
                        refused.forEach(topic -> answer.responses().add(topic.duplicate()));
                    }
                    return answer;
                });
    }

    private static AlterShareGroupOffsetsResponseTopic refused(AlterShareGroupOffsetsRequestTopic topic, Errors error) {
        return new AlterShareGroupOffsetsResponseTopic()
                .setTopicName(topic.topicName())
                .setTopicId(Uuid.ZERO_UUID)
                .setPartitions(topic.partitions().stream()
                        .map(partition -> new AlterShareGroupOffsetsResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code())
                                .setErrorMessage(error.message()))
                        .toList());
    }
}
