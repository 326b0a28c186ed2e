package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.DeleteGroupsRequest;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * DeleteGroups, all versions that Kafka speaks. Groups with members are refused.
 */
public final class DeleteGroupsHandler implements ApiHandler {
    private final GroupCoordinators groups;

    DeleteGroupsHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_GROUPS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        var served = Served.of(
                ((DeleteGroupsRequest) request).data().groupsNames(), groups, context.principal(), Operation.DELETE);
        Answers.send(
                context,
                () -> groups.service().deleteGroups(context.toKafka(), served.here(), BufferSupplier.NO_CACHING),
                results -> {
                    var elsewhere =
                            DeleteGroupsRequest.getErrorResultCollection(served.elsewhere(), Errors.NOT_COORDINATOR);
                    elsewhere.forEach(refused -> results.add(refused.duplicate()));
                    var denied = DeleteGroupsRequest.getErrorResultCollection(
                            served.denied(), Errors.GROUP_AUTHORIZATION_FAILED);
                    denied.forEach(refused -> results.add(refused.duplicate()));
                    return new DeleteGroupsResponseData().setResults(results);
                });
    }
}
