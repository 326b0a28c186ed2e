package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatRequest;

/**
 * StreamsGroupHeartbeat (KIP-1071), all versions that Kafka speaks: joins, leaves and keeps a member of a Kafka Streams application alive, and makes the
 * topics that its topology wants and that are missing. Who names a topic that it may not describe does not join. One whose user has as many
 * subscriptions as it may have is refused with GROUP_MAX_SIZE_REACHED.
 */
public final class StreamsGroupHeartbeatHandler implements ApiHandler {
    private final GroupCoordinators groups;
    private final StreamsTopics topics;

    StreamsGroupHeartbeatHandler(GroupCoordinators groups) {
        this.groups = groups;
        this.topics = new StreamsTopics(groups.services());
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.STREAMS_GROUP_HEARTBEAT;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        StreamsGroupHeartbeatRequestData asked = ((StreamsGroupHeartbeatRequest) request).data();
        if (GroupRights.refuses(groups, context, Operation.READ, asked.groupId())) {
            return;
        }
        if (SubscriptionGroup.isReserved(asked.groupId())) {
            context.fail(Errors.INVALID_GROUP_ID);
            return;
        }
        StreamsTopics.Refusal refusal = topics.whyNot(context.principal(), asked.topology());
        if (refusal != null) {
            context.complete(refused(refusal.error(), refusal.message()));
            return;
        }
        new CountedMember(context, asked.groupId(), asked.instanceId(), asked.memberId())
                .heartbeat(
                        CountedMember.Step.of(asked.memberEpoch()),
                        groups.streamsSessionMillis(),
                        () -> ask(context, asked),
                        told -> new CountedMember.Told(told.errorCode(), asked.memberId()),
                        why -> refused(Errors.GROUP_MAX_SIZE_REACHED, why));
    }

    private static StreamsGroupHeartbeatResponseData refused(Errors error, String message) {
        return new StreamsGroupHeartbeatResponseData()
                .setErrorCode(error.code())
                .setErrorMessage(message);
    }

    private CompletableFuture<StreamsGroupHeartbeatResponseData> ask(
            RequestContext context, StreamsGroupHeartbeatRequestData asked) {
        return groups.service(asked.groupId())
                .streamsGroupHeartbeat(context.toKafka(), asked)
                .thenCompose(told -> topics.create(context.principal(), told));
    }
}
