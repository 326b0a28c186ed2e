package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroups;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResultCollection;
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
    private final SubscriptionGroups subscriptions;

    DeleteGroupsHandler(GroupCoordinators groups) {
        this.groups = groups;
        this.subscriptions = new SubscriptionGroups(groups.services());
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_GROUPS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        var served = Served.of(
                ((DeleteGroupsRequest) request).data().groupsNames(), groups, context.principal(), Operation.DELETE);
        Answers.send(context, () -> delete(context, served), deleted -> {
            var results = new DeletableGroupResultCollection();
            deleted.forEach(result -> results.add(result.duplicate()));
            var elsewhere = DeleteGroupsRequest.getErrorResultCollection(served.elsewhere(), Errors.NOT_COORDINATOR);
            elsewhere.forEach(refused -> results.add(refused.duplicate()));
            var denied =
                    DeleteGroupsRequest.getErrorResultCollection(served.denied(), Errors.GROUP_AUTHORIZATION_FAILED);
            denied.forEach(refused -> results.add(refused.duplicate()));
            return new DeleteGroupsResponseData().setResults(results);
        });
    }

    private CompletableFuture<List<DeletableGroupResult>> delete(RequestContext context, Served served) {
        return Answers.appended(
                groups.service()
                        .deleteGroups(context.toKafka(), served.here(), BufferSupplier.NO_CACHING)
                        .thenApply(List::copyOf),
                served.subscriptions().stream().map(id -> subscriptions.delete(context.principal(), id)));
    }
}
