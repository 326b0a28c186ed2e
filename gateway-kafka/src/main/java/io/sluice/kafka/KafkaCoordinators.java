package io.sluice.kafka;

import io.sluice.broker.group.TopicGroups;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.TransactionChecks;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.coordinator.GroupMarkers;
import io.sluice.kafka.coordinator.GroupSettings;
import io.sluice.kafka.coordinator.handler.GroupHandlers;
import io.sluice.kafka.handler.WriteTxnMarkersHandler;
import io.sluice.kafka.position.ClusterPositions;
import io.sluice.kafka.subscription.TransactionalOffsets;
import io.sluice.kafka.transaction.TransactionHandlers;
import io.sluice.transactions.TransactionAuthority;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Time;

/** Groups and transactions, each of which asks the other, and the APIs that they answer. */
public final class KafkaCoordinators implements AutoCloseable {
    private final TransactionAuthority authority;
    private final KafkaServices services;
    private final GroupCoordinators groups;
    private final TransactionChecks checks;

    /**
     * Starts both. Blocks until the topic of group offsets exists.
     *
     * @param authority opened, not started; closed with this
     * @throws TopicException that topic could not be created
     */
    public static KafkaCoordinators start(
            TransactionAuthority authority, GroupSettings settings, KafkaServices services, Time time)
            throws TopicException, InterruptedException {
        return new KafkaCoordinators(authority, settings, services, time);
    }

    private KafkaCoordinators(TransactionAuthority authority, GroupSettings settings, KafkaServices plain, Time time)
            throws TopicException, InterruptedException {
        checks = new TransactionChecks(authority);
        this.authority = authority;
        services = plain.with(checks);
        groups = GroupCoordinators.start(settings, services, time, checks::check);
        authority.start(new GroupMarkers(groups));
    }

    /** Has this node set positions of subscriptions in transactions, and state of share groups, for others from now on. */
    public void answerOthers(PartitionSteps steps) {
        new TransactionalOffsets(services, checks).answerOthers(steps);
        groups.shares().answerOthers(steps);
    }

    /** Positions of groups, for the other protocol; this node answers for its own from now on. */
    public TopicGroups positions(PartitionSteps steps) {
        ClusterPositions positions = new ClusterPositions(groups);
        positions.answerOthers(steps);
        return positions;
    }

    public GroupCoordinators groups() {
        return groups;
    }

    /** For the gateway's other handlers: with the transactions of this. */
    public KafkaServices services() {
        return services;
    }

    /** For the gateway's table of APIs. */
    public List<Api> handlers() {
        List<Api> all = new ArrayList<>(GroupHandlers.of(groups, authority));
        all.addAll(TransactionHandlers.of(services, authority));
        all.add(new WriteTxnMarkersHandler(services, new GroupMarkers(groups)));
        return all;
    }

    /** See {@link GroupCoordinators#containerServing}. */
    public void containerServing(int container) {
        groups.containerServing(container);
        authority.containerServing(container);
    }

    /** See {@link GroupCoordinators#containerStopped}. */
    public void containerStopped(int container) {
        authority.containerStopped(container);
        groups.containerStopped(container);
    }

    @Override
    public void close() {
        authority.close();
        groups.close();
    }
}
