package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * JoinGroup, all versions that Kafka speaks. The answer comes when the group has a generation: the connection waits.
 *
 * <p>Differences from Kafka: a member that names a protocol twice is refused with INCONSISTENT_GROUP_PROTOCOL, one whose user has as many
 * subscriptions as it may have with GROUP_MAX_SIZE_REACHED.
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
        JoinGroupRequestData joining = ((JoinGroupRequest) request).data();
        if (GroupRights.refuses(groups, context, Operation.READ, joining.groupId())) {
            return;
        }
        if (SubscriptionGroup.isReserved(joining.groupId())) {
            context.fail(Errors.INVALID_GROUP_ID);
            return;
        }
        if (namesAProtocolTwice(joining)) {
            context.fail(Errors.INCONSISTENT_GROUP_PROTOCOL);
            return;
        }
        var member = new CountedMember(context, joining.groupId(), joining.groupInstanceId(), joining.memberId());
        CompletableFuture<JoinGroupResponseData> answer = member.join(
                joining.sessionTimeoutMs(),
                Math.max(0, joining.rebalanceTimeoutMs()),
                () -> groups.service(joining.groupId())
                        .joinGroup(context.toKafka(), joining, BufferSupplier.NO_CACHING),
                joined -> new CountedMember.Told(joined.errorCode(), joined.memberId()));
        if (answer == null) {
            context.fail(Errors.GROUP_MAX_SIZE_REACHED);
            return;
        }
        Answers.send(context, () -> answer, joined -> {
            GroupRights.check(groups, context, Operation.READ, joining.groupId());
            return new JoinGroupResponse(joined, context.version()).data();
        });
    }

    /** Kafka's coordinator counts such a member twice, finds no protocol that all support, and answers none of the group. */
    private static boolean namesAProtocolTwice(JoinGroupRequestData joining) {
        return joining.protocols().stream()
                .anyMatch(
                        protocol -> joining.protocols().findAll(protocol.name()).size() > 1);
    }
}
