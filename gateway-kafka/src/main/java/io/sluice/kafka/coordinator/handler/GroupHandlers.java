package io.sluice.kafka.coordinator.handler;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.TransactionChecks;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.TransactionalOffsets;
import io.sluice.transactions.TransactionAuthority;
import java.util.ArrayList;
import java.util.List;

/** All handlers of this package, for the table of APIs. */
public final class GroupHandlers {
    private GroupHandlers() {}

    /** Without transactions. */
    public static List<ApiHandler> of(GroupCoordinators groups) {
        return of(groups, new FindCoordinatorHandler(groups, null), List.of());
    }

    public static List<ApiHandler> of(GroupCoordinators groups, TransactionAuthority authority) {
        return of(
                groups,
                new FindCoordinatorHandler(groups, authority),
                List.of(
                        new AddOffsetsToTxnHandler(groups, authority),
                        new TxnOffsetCommitHandler(
                                groups,
                                new TransactionalOffsets(groups.services(), new TransactionChecks(authority)))));
    }

    private static List<ApiHandler> of(
            GroupCoordinators groups, FindCoordinatorHandler find, List<ApiHandler> inTransactions) {
        List<ApiHandler> all = new ArrayList<>(inTransactions);
        all.add(find);
        all.addAll(List.of(
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
                new ConsumerGroupDescribeHandler(groups),
                new StreamsGroupHeartbeatHandler(groups),
                new StreamsGroupDescribeHandler(groups),
                new ShareGroupHeartbeatHandler(groups),
                new ShareGroupDescribeHandler(groups),
                new DescribeShareGroupOffsetsHandler(groups),
                new AlterShareGroupOffsetsHandler(groups),
                new DeleteShareGroupOffsetsHandler(groups)));
        return all;
    }
}
