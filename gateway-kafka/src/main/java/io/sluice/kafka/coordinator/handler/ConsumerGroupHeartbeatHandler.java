package io.sluice.kafka.coordinator.handler;

import static org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest.JOIN_GROUP_MEMBER_EPOCH;
import static org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest.LEAVE_GROUP_MEMBER_EPOCH;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;
import org.jspecify.annotations.Nullable;

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
        if (namesDenied(context, asked.subscribedTopicNames())) {
            context.fail(Errors.TOPIC_AUTHORIZATION_FAILED);
            return;
        }
        var member = new CountedMember(context, asked.groupId(), asked.instanceId(), asked.memberId());
        if (asked.memberEpoch() == JOIN_GROUP_MEMBER_EPOCH) {
            join(context, asked, member);
            return;
        }
        Answers.send(context, () -> ask(context, asked), told -> {
            if (asked.memberEpoch() == LEAVE_GROUP_MEMBER_EPOCH && told.errorCode() == Errors.NONE.code()) {
                member.left();
            } else {
                member.heard(told.errorCode(), groups.consumerSessionMillis());
            }
            return told;
        });
    }

    private CompletableFuture<ConsumerGroupHeartbeatResponseData> ask(
            RequestContext context, ConsumerGroupHeartbeatRequestData asked) {
        return groups.service(asked.groupId()).consumerGroupHeartbeat(context.toKafka(), asked);
    }

    private void join(RequestContext context, ConsumerGroupHeartbeatRequestData asked, CountedMember member) {
        CompletableFuture<ConsumerGroupHeartbeatResponseData> answer = member.join(
                groups.consumerSessionMillis(),
                0,
                () -> ask(context, asked),
                told -> new CountedMember.Told(
                        told.errorCode(), told.memberId() == null ? asked.memberId() : told.memberId()));
        if (answer == null) {
            context.complete(new ConsumerGroupHeartbeatResponseData()
                    .setErrorCode(Errors.GROUP_MAX_SIZE_REACHED.code())
                    .setErrorMessage(member.refusal()));
        } else {
            Answers.send(context, () -> answer);
        }
    }

    /** @param topics null if they are those of the heartbeat before */
    private boolean namesDenied(RequestContext context, @Nullable List<String> topics) {
        return topics != null
                && topics.stream()
                        .anyMatch(
                                topic -> groups.services().access().find(context.principal(), Operation.DESCRIBE, topic)
                                        instanceof TopicLookup.Denied);
    }
}
