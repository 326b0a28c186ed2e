package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * SyncGroup, all versions that Kafka speaks. The answer comes when the leader has sent the assignment.
 */
public final class SyncGroupHandler implements ApiHandler {
    private final GroupCoordinators groups;

    SyncGroupHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.SYNC_GROUP;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        SyncGroupRequestData asked = ((SyncGroupRequest) request).data();
        if (GroupRights.refuses(groups, context, Operation.READ, asked.groupId())) {
            return;
        }
        var member = new CountedMember(context, asked.groupId(), asked.groupInstanceId(), asked.memberId());
        Answers.send(
                context,
                () -> groups.service(asked.groupId()).syncGroup(context.toKafka(), asked, BufferSupplier.NO_CACHING),
                synced -> {
                    member.heard(synced.errorCode());
                    GroupRights.check(groups, context, Operation.READ, asked.groupId());
                    return synced;
                });
    }
}
