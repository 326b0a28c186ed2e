package io.sluice.kafka.coordinator.handler;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ConsumerGroupDescribeRequest;

/**
 * ConsumerGroupDescribe (KIP-848), all versions that Kafka speaks. There are no ACLs: every operation is authorized.
 */
public final class ConsumerGroupDescribeHandler implements ApiHandler {
    private final GroupCoordinators groups;

    ConsumerGroupDescribeHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CONSUMER_GROUP_DESCRIBE;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        ConsumerGroupDescribeRequestData asked = ((ConsumerGroupDescribeRequest) request).data();
        Answers.send(
                context,
                () -> groups.service().consumerGroupDescribe(context.toKafka(), asked.groupIds()),
                described -> {
                    if (asked.includeAuthorizedOperations()) {
                        described.stream()
                                .filter(group -> group.errorCode() == Errors.NONE.code())
                                .forEach(group -> group.setAuthorizedOperations(GroupOperations.ALL));
                    }
                    return new ConsumerGroupDescribeResponseData().setGroups(described);
                });
    }
}
