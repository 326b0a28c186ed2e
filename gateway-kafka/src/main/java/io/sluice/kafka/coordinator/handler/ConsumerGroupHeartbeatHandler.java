package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import java.util.List;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;

/**
 * ConsumerGroupHeartbeat (KIP-848), all versions that Kafka speaks: joins, leaves and keeps a member alive. Who
 * names a topic that it may not describe does not join; a pattern's topics are not looked at. One whose user has as many subscriptions as it
 * may have is refused with GROUP_MAX_SIZE_REACHED.
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
        ConsumerGroupHeartbeatRequestData asked = ((ConsumerGroupHeartbeatRequest) request).data();
        if (GroupRights.refuses(groups, context, Operation.READ, asked.groupId())) {
            return;
        }
        if (SubscriptionGroup.isReserved(asked.groupId())) {
            context.fail(Errors.INVALID_GROUP_ID);
            return;
        }
        List<String> topics = asked.subscribedTopicNames(); // null for those of the heartbeat before
        if (topics != null && GroupRights.hidesAny(groups, context.principal(), topics.stream())) {
            context.fail(Errors.TOPIC_AUTHORIZATION_FAILED);
            return;
        }
        new CountedMember(context, asked.groupId(), asked.instanceId(), asked.memberId())
                .heartbeat(
                        CountedMember.Step.of(asked.memberEpoch()),
                        groups.consumerSessionMillis(),
                        () -> groups.service(asked.groupId()).consumerGroupHeartbeat(context.toKafka(), asked),
                        told -> new CountedMember.Told(
                                told.errorCode(), told.memberId() == null ? asked.memberId() : told.memberId()),
                        refusal -> new ConsumerGroupHeartbeatResponseData()
                                .setErrorCode(Errors.GROUP_MAX_SIZE_REACHED.code())
                                .setErrorMessage(refusal));
    }
}
