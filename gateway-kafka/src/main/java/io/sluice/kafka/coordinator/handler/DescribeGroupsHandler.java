package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroups;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.DescribeGroupsRequest;

/** DescribeGroups, all versions that Kafka speaks. */
public final class DescribeGroupsHandler implements ApiHandler {
    private final GroupCoordinators groups;
    private final SubscriptionGroups subscriptions;

    DescribeGroupsHandler(GroupCoordinators groups) {
        this.groups = groups;
        this.subscriptions = new SubscriptionGroups(groups.services());
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_GROUPS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        DescribeGroupsRequestData asked = ((DescribeGroupsRequest) request).data();
        var served = Served.of(asked.groups(), groups, context.principal(), Operation.DESCRIBE);
        Answers.send(context, () -> describe(context, served), answers -> {
            List<DescribedGroup> described = new ArrayList<>(answers);
            described.addAll(
                    DescribeGroupsRequest.getErrorDescribedGroupList(served.elsewhere(), Errors.NOT_COORDINATOR));
            described.addAll(DescribeGroupsRequest.getErrorDescribedGroupList(
                    served.denied(), Errors.GROUP_AUTHORIZATION_FAILED));
            if (asked.includeAuthorizedOperations()) {
                described.stream()
                        .filter(group -> group.errorCode() == Errors.NONE.code())
                        .forEach(group -> group.setAuthorizedOperations(
                                GroupRights.operations(groups, context.principal(), group.groupId())));
            }
            return new DescribeGroupsResponseData().setGroups(described);
        });
    }

    private CompletableFuture<List<DescribedGroup>> describe(RequestContext context, Served served) {
        return Answers.appended(
                served.here().isEmpty()
                        ? CompletableFuture.completedFuture(List.of())
                        : groups.service().describeGroups(context.toKafka(), served.here()),
                served.subscriptions().stream()
                        .map(id -> subscriptions.describe(context.principal(), id, context.version())));
    }
}
