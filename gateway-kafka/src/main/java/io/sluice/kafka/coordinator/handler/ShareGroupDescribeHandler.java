package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ShareGroupDescribeRequestData;
import org.apache.kafka.common.message.ShareGroupDescribeResponseData;
import org.apache.kafka.common.message.ShareGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.ShareGroupDescribeResponseData.TopicPartitions;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ShareGroupDescribeRequest;

/** ShareGroupDescribe, version 1. A group whose members read a topic that the client may not describe is not shown. */
public final class ShareGroupDescribeHandler implements ApiHandler {
    private final GroupCoordinators groups;

    ShareGroupDescribeHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.SHARE_GROUP_DESCRIBE;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        ShareGroupDescribeRequestData asked = ((ShareGroupDescribeRequest) request).data();
        var served = Served.of(asked.groupIds(), groups, context.principal(), Operation.DESCRIBE);
        Answers.send(context, () -> groups.service().shareGroupDescribe(context.toKafka(), served.here()), answers -> {
            List<DescribedGroup> described = new ArrayList<>(answers);
            described.addAll(
                    ShareGroupDescribeRequest.getErrorDescribedGroupList(served.elsewhere(), Errors.NOT_COORDINATOR));
            described.addAll(ShareGroupDescribeRequest.getErrorDescribedGroupList(
                    served.subscriptions(), Errors.GROUP_ID_NOT_FOUND));
            described.addAll(ShareGroupDescribeRequest.getErrorDescribedGroupList(
                    served.denied(), Errors.GROUP_AUTHORIZATION_FAILED));
            if (asked.includeAuthorizedOperations()) {
                described.stream()
                        .filter(group -> group.errorCode() == Errors.NONE.code())
                        .forEach(group -> group.setAuthorizedOperations(
                                GroupRights.operations(groups, context.principal(), group.groupId())));
            }
            return new ShareGroupDescribeResponseData()
                    .setGroups(described.stream()
                            .map(group -> readsDenied(context, group) ? hidden(group) : group)
                            .toList());
        });
    }

    private boolean readsDenied(RequestContext context, DescribedGroup group) {
        return GroupRights.hidesAny(
                groups,
                context.principal(),
                group.members().stream()
                        .flatMap(member -> member.assignment().topicPartitions().stream())
                        .map(TopicPartitions::topicName));
    }

    private static DescribedGroup hidden(DescribedGroup group) {
        return new DescribedGroup()
                .setGroupId(group.groupId())
                .setErrorCode(Errors.TOPIC_AUTHORIZATION_FAILED.code())
                .setErrorMessage("The group has described topic(s) that the client is not authorized to describe.")
                .setMembers(List.of());
    }
}
