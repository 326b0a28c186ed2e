package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.DeleteShareGroupOffsetsRequestData.DeleteShareGroupOffsetsRequestTopic;
import org.apache.kafka.common.message.DeleteShareGroupOffsetsResponseData.DeleteShareGroupOffsetsResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.DeleteShareGroupOffsetsRequest;

/** DeleteShareGroupOffsets, version 0: a share group without members forgets topics. Those that the client may not read are refused one by one. */
public final class DeleteShareGroupOffsetsHandler implements ApiHandler {
    private final GroupCoordinators groups;

    DeleteShareGroupOffsetsHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_SHARE_GROUP_OFFSETS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        DeleteShareGroupOffsetsRequestData asked = ((DeleteShareGroupOffsetsRequest) request).data();
        if (GroupRights.refuses(groups, context, Operation.DELETE, asked.groupId())) {
            return;
        }
        if (SubscriptionGroup.isReserved(asked.groupId())) {
            context.fail(Errors.GROUP_ID_NOT_FOUND);
            return;
        }
        List<DeleteShareGroupOffsetsResponseTopic> refused = new ArrayList<>(0);
        List<DeleteShareGroupOffsetsRequestTopic> allowed = new ArrayList<>();
        for (DeleteShareGroupOffsetsRequestTopic topic : asked.topics()) {
            if (groups.services().access().find(context.principal(), Operation.READ, topic.topicName())
                    instanceof TopicLookup.Refused why) {
                refused.add(new DeleteShareGroupOffsetsResponseTopic()
                        .setTopicName(topic.topicName())
                        .setTopicId(Uuid.ZERO_UUID)
                        .setErrorCode(why.error().code())
                        .setErrorMessage(why.error().message()));
            } else {
                allowed.add(topic);
            }
        }
        Answers.send(
                context,
                () -> groups.service(asked.groupId())
                        .deleteShareGroupOffsets(
                                context.toKafka(), asked.duplicate().setTopics(allowed)),
                answer -> {
                    List<DeleteShareGroupOffsetsResponseTopic> topics = new ArrayList<>(answer.responses());
                    topics.addAll(answer.errorCode() == Errors.NONE.code() ? refused : List.of());
                    return answer.setResponses(topics);
                });
    }
}
