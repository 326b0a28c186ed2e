package io.sluice.kafka.coordinator.handler;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.coordinator.GroupCoordinators;
import java.util.List;

/** All handlers of this package, for the table of APIs. */
public final class GroupHandlers {
    private GroupHandlers() {}

    public static List<ApiHandler> of(GroupCoordinators groups) {
        return List.of(
                new FindCoordinatorHandler(groups),
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
