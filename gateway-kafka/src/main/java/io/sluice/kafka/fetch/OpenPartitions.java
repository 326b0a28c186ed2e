package io.sluice.kafka.fetch;

import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Partitions that a fetch looks at, in order, and by the container that serves them. Under the fetch's lock.
 *
 * <p>Methods that open partitions return whether the fetch is to be answered after the round, as one of them has an error to be told.
 */
final class OpenPartitions {
    private final FetchRound operation;
    private final FetchPlan plan;
    private final Supplier<? extends FetchLogs> lookUp;
    private final List<FetchPartition> partitions;
    private List<ContainerFetch> groups = new ArrayList<>(4);

    OpenPartitions(FetchRound operation, FetchPlan plan, Supplier<? extends FetchLogs> lookUp) {
        this.operation = operation;
        this.plan = plan;
        this.lookUp = lookUp;
        this.partitions = new ArrayList<>(plan.partitions());
    }

    /** All of them, in order; grows with this. */
    List<FetchPartition> all() {
        return Collections.unmodifiableList(partitions);
    }

    /** Whether no container has been asked for anything. */
    boolean isEmpty() {
        return groups.isEmpty();
    }

    List<ContainerFetch> containers() {
        return List.copyOf(groups);
    }

    /** Containers that have something to read. */
    List<ContainerFetch> withOpen() {
        return groups.stream().filter(ContainerFetch::hasOpen).toList();
    }

    boolean hasOpenBeside(SegmentContainer where) {
        return groups.stream().anyMatch(group -> group.container() != where && group.hasOpen());
    }

    List<ContainerFetch> thatMayReadOn() {
        return groups.stream().filter(ContainerFetch::mayReadOn).toList();
    }

    ContainerFetch of(SegmentContainer container) {
        for (ContainerFetch group : groups) {
            if (group.container() == container) {
                return group;
            }
        }
        ContainerFetch group = new ContainerFetch(operation, container);
        groups.add(group);
        return group;
    }

    /** Holds no log any more; the partitions stay. */
    void letGo() {
        groups = new ArrayList<>(4);
    }

    /** Adds a partition that is not looked up. */
    void add(FetchPartition partition) {
        partition.join();
        partitions.add(partition);
        partitions.sort(FetchSession.IN_ORDER);
    }

    /** Looks up the logs of the plan's partitions, and which logs of the session's others are not those that are watched. */
    boolean openAll() {
        FetchLogs logs = lookUp.get();
        boolean told = false;
        for (FetchPartition partition : partitions) {
            if (!partition.hasAnswer()) {
                told |= open(partition, logs.find(partition));
            }
        }
        boolean more = false;
        for (FetchPartition other : plan.others()) {
            PartitionLog log = other.isJoined() ? null : logs.find(other);
            if (!other.isJoined() && (log == null || !other.isWatchedOn(log))) {
                other.join();
                partitions.add(other);
                told |= open(other, log);
                more = true;
            }
        }
        sortIf(more);
        return told;
    }

    /** Opens partitions that have changed. */
    boolean join(List<FetchPartition> changed) {
        FetchLogs logs = null;
        boolean told = false;
        for (FetchPartition partition : changed) {
            LogWatch watch = partition.watch();
            if (partition.isForgotten() || watch == null) {
                continue;
            }
            if (!partition.isJoined()) {
                partition.join();
                partitions.add(partition);
                logs = logs == null ? lookUp.get() : logs;
                told |= open(partition, logs.find(partition));
            } else if (partition.isCaughtUp() && !partition.hasAnswer()) {
                partition.reopen();
                told |= open(partition, watch.log());
            }
        }
        sortIf(!changed.isEmpty());
        return told;
    }

    private void sortIf(boolean changed) {
        if (changed) {
            partitions.sort(FetchSession.IN_ORDER);
            groups.forEach(ContainerFetch::sort);
        }
    }

    /** @param log null if the partition has been failed */
    private boolean open(FetchPartition partition, @Nullable PartitionLog log) {
        if (log != null) {
            of(log.container()).open(partition, log);
        }
        // A reader asks for a topic that is gone until its metadata says so, and for one that it may not read until it
        // is told otherwise. That must not turn its waiting for the others into a hot loop; to have gone to the wrong
        // server must be told at once.
        return partition.hasAnswer() && !partition.isRefusedAgain();
    }
}
