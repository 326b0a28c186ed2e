package io.sluice.kafka.coordinator.handler;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;

/**
 * ConsumerGroupHeartbeat (KIP-848), all versions that Kafka speaks: joins, leaves and keeps a member alive.
 */
public final class ConsumerGroupHeartbeatHandler implements ApiHandler {
    private final GroupCoordinators groups;

    ConsumerGroupHeartbeatHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CONSUMER_GROUP_HEARTBEAT;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        Answers.send(
                context,
                () -> groups.service()
                        .consumerGroupHeartbeat(context.toKafka(), ((ConsumerGroupHeartbeatRequest) request).data()));
    }
}
