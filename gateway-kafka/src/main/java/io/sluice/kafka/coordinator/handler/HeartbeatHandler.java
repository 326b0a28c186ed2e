package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.HeartbeatRequest;

/**
 * Heartbeat of a classic group, all versions that Kafka speaks.
 */
public final class HeartbeatHandler implements ApiHandler {
    private final GroupCoordinators groups;

    HeartbeatHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.HEARTBEAT;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        HeartbeatRequestData asked = ((HeartbeatRequest) request).data();
        if (GroupRights.refuses(groups, context, Operation.READ, asked.groupId())) {
            return;
        }
        var member = new CountedMember(context, asked.groupId(), asked.groupInstanceId(), asked.memberId());
        Answers.send(context, () -> groups.service(asked.groupId()).heartbeat(context.toKafka(), asked), heard -> {
            member.heard(heard.errorCode());
            return heard;
        });
    }
}
