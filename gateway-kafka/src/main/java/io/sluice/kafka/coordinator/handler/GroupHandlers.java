package io.sluice.kafka.coordinator.handler;

import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.handler.ApiHandler;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.network.ListenerName;

/** All handlers of this package, for the table of APIs. */
public final class GroupHandlers {
    private GroupHandlers() {}

    /** @param self this node as clients of a listener reach it; the same that Metadata gives them */
    public static List<ApiHandler> of(GroupCoordinators groups, Function<ListenerName, Node> self) {
        return List.of(
                new FindCoordinatorHandler(groups, self),
                new JoinGroupHandler(groups),
                new SyncGroupHandler(groups),
                new HeartbeatHandler(groups),
                new LeaveGroupHandler(groups),
                new OffsetCommitHandler(groups),
                new OffsetFetchHandler(groups),
                new OffsetDeleteHandler(groups),
                new ListGroupsHandler(groups),
                new DescribeGroupsHandler(groups),
                new DeleteGroupsHandler(groups),
                new ConsumerGroupHeartbeatHandler(groups),
                new ConsumerGroupDescribeHandler(groups));
    }
}
