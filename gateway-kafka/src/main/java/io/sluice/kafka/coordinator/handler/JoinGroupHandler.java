package io.sluice.kafka.coordinator.handler;

import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.handler.ApiHandler;
import io.sluice.kafka.handler.RequestContext;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * JoinGroup, all versions that Kafka speaks. The answer comes when the group has a generation: the connection waits.
 */
public final class JoinGroupHandler implements ApiHandler {
    private final GroupCoordinators groups;

    JoinGroupHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.JOIN_GROUP;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        Answers.send(
                context,
                () -> groups.service()
                        .joinGroup(context.toKafka(), ((JoinGroupRequest) request).data(), BufferSupplier.NO_CACHING),
                joined -> new JoinGroupResponse(joined, context.version()).data());
    }
}
