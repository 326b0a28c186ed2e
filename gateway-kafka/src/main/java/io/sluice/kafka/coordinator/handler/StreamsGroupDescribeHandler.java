package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.message.StreamsGroupDescribeRequestData;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupDescribeResponseData.TopicInfo;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.StreamsGroupDescribeRequest;

/** StreamsGroupDescribe, all versions that Kafka speaks. A group whose topology has a topic that the client may not describe is not shown. */
public final class StreamsGroupDescribeHandler implements ApiHandler {
    private final GroupCoordinators groups;

    StreamsGroupDescribeHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.STREAMS_GROUP_DESCRIBE;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        StreamsGroupDescribeRequestData asked = ((StreamsGroupDescribeRequest) request).data();
        var served = Served.of(asked.groupIds(), groups, context.principal(), Operation.DESCRIBE);
        Answers.send(
                context,
                () -> groups.service()
                        .streamsGroupDescribe(context.toKafka(), served.here(), asked.includeTopologyDescription()),
                answers -> {
                    List<DescribedGroup> described = new ArrayList<>(answers);
                    described.addAll(errors(served.elsewhere(), Errors.NOT_COORDINATOR));
                    described.addAll(errors(served.subscriptions(), Errors.GROUP_ID_NOT_FOUND));
                    described.addAll(errors(served.denied(), Errors.GROUP_AUTHORIZATION_FAILED));
                    if (asked.includeAuthorizedOperations()) {
                        described.stream()
                                .filter(group -> group.errorCode() == Errors.NONE.code())
                                .forEach(group -> group.setAuthorizedOperations(
                                        GroupRights.operations(groups, context.principal(), group.groupId())));
                    }
                    return new StreamsGroupDescribeResponseData()
                            .setGroups(described.stream()
                                    .map(group -> hasDenied(context, group) ? hidden(group) : group)
                                    .toList());
                });
    }

    private static List<DescribedGroup> errors(List<String> ids, Errors error) {
        return StreamsGroupDescribeRequest.getErrorDescribedGroupList(ids, error);
    }

    private boolean hasDenied(RequestContext context, DescribedGroup group) {
        return group.topology() != null
                && group.topology().subtopologies() != null
                && GroupRights.hidesAny(
                        groups,
                        context.principal(),
                        group.topology().subtopologies().stream().flatMap(StreamsGroupDescribeHandler::topics));
    }

    private static Stream<String> topics(Subtopology part) {
        return Stream.of(
                        part.sourceTopics().stream(),
                        part.repartitionSinkTopics().stream(),
                        part.repartitionSourceTopics().stream().map(TopicInfo::name),
                        part.stateChangelogTopics().stream().map(TopicInfo::name))
                .flatMap(names -> names);
    }

    private static DescribedGroup hidden(DescribedGroup group) {
        return new DescribedGroup()
                .setGroupId(group.groupId())
                .setErrorCode(Errors.TOPIC_AUTHORIZATION_FAILED.code())
                .setErrorMessage("The group has described topic(s) that the client is not authorized to describe.")
                .setMembers(List.of())
                .setTopology(null);
    }
}
