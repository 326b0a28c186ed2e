package io.sluice.broker.balance;

import io.sluice.broker.topic.TopicName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * The load at one time, of what is served here, or in the whole cluster.
 *
 * @param partitions of these containers
 * @param containers those without partitions, too
 */
public record LoadSample(List<PartitionLoad> partitions, List<ContainerLoad> containers) {
    public LoadSample {
        partitions = List.copyOf(partitions);
        containers = List.copyOf(containers);
    }

    /**
     * @param id see {@code PartitionLog.partitionId}
     * @param stays it is not to be moved, as those of internal topics, or amid a run of an elastic topic's
     * @param rate smoothed
     */
    public record PartitionLoad(TopicName topic, int partition, long id, int container, boolean stays, Rate rate) {
        double load() {
            return rate.load();
        }
    }

    /**
     * @param servedSince milliseconds, by the decider's clock; younger ones have loads that are not known yet
     * @param rate of its partitions together
     */
    public record ContainerLoad(int id, long servedSince, Rate rate, Strain strain) {
        double load() {
            return rate.load();
        }

        ContainerLoad onLoop(int loop) {
            return new ContainerLoad(
                    id,
                    servedSince,
                    rate,
                    new Strain(loop, strain.loopBusy(), strain.logPressure(), strain.tierPressure()));
        }
    }

    /** A container without its sum. */
    public record Served(int id, long servedSince, Strain strain) {}

    /** Sums up; partitions of other containers are left out. */
    public static LoadSample of(List<PartitionLoad> partitions, List<Served> served) {
        Map<Integer, Rate> sums = new HashMap<>();
        served.forEach(container -> sums.put(container.id(), Rate.NONE));
        List<PartitionLoad> here =
                partitions.stream().filter(p -> sums.containsKey(p.container())).toList();
        here.forEach(partition -> sums.merge(partition.container(), partition.rate(), Rate::plus));
        return new LoadSample(
                here,
                served.stream()
                        .map(c -> new ContainerLoad(
                                c.id(), c.servedSince(), sums.getOrDefault(c.id(), Rate.NONE), c.strain()))
                        .toList());
    }

    /** The sample restricted to these containers. */
    public LoadSample of(IntPredicate which) {
        return new LoadSample(
                partitions.stream().filter(p -> which.test(p.container())).toList(),
                containers.stream().filter(c -> which.test(c.id())).toList());
    }

    /** Load of the hottest container by the mean of all; 1 where nothing is under way. */
    public double unevenness() {
        double mean =
                containers.stream().mapToDouble(ContainerLoad::load).average().orElse(0);
        return mean < 1
                ? 1
                : containers.stream().mapToDouble(ContainerLoad::load).max().orElse(0) / mean;
    }
}
