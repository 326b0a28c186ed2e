package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourceType;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroups;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ListGroupsRequest;

/**
 * ListGroups, all versions that Kafka speaks: filters by state from v4, by type from v5. Names the groups of the partitions
 * served here, and the subscriptions of topics whose first partition is served here. A client that may not describe the cluster gets those
 * that it may describe.
 */
public final class ListGroupsHandler implements ApiHandler {
    private final GroupCoordinators groups;
    private final SubscriptionGroups subscriptions;

    ListGroupsHandler(GroupCoordinators groups) {
        this.groups = groups;
        this.subscriptions = new SubscriptionGroups(groups.services());
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_GROUPS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        ListGroupsRequestData asked = ((ListGroupsRequest) request).data();
        Answers.send(context, () -> groups.service().listGroups(context.toKafka(), asked), listed -> {
            KafkaAccess access = groups.services().access();
            boolean all = access.hasOnCluster(context.principal(), Operation.DESCRIBE);
            listed.groups()
                    .removeIf(group -> !groups.serves(group.groupId())
                            || (!all
                                    && !access.shows(
                                            context.principal(),
                                            Operation.DESCRIBE,
                                            ResourceType.GROUP,
                                            group.groupId())));
            listed.groups().addAll(subscriptions.list(context.principal(), all, asked));
            return listed;
        });
    }
}
