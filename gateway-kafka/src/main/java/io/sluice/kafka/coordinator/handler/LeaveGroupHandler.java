package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.LeaveGroupRequest;
import org.apache.kafka.common.requests.LeaveGroupResponse;

/**
 * LeaveGroup, all versions that Kafka speaks: one member up to v2, several from v3.
 */
public final class LeaveGroupHandler implements ApiHandler {
    private final GroupCoordinators groups;

    LeaveGroupHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LEAVE_GROUP;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        LeaveGroupRequestData asked = ((LeaveGroupRequest) request).normalizedData();
        if (GroupRights.refuses(groups, context, Operation.READ, asked.groupId())) {
            return;
        }
        Answers.send(context, () -> groups.service(asked.groupId()).leaveGroup(context.toKafka(), asked), left -> {
            for (MemberResponse each : left.members()) {
                if (each.errorCode() == Errors.NONE.code()) {
                    new CountedMember(context, asked.groupId(), each.groupInstanceId(), each.memberId()).left();
                }
            }
            return new LeaveGroupResponse(left, context.version()).data();
        });
    }
}
