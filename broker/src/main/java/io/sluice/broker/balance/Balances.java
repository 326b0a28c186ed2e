package io.sluice.broker.balance;

import io.sluice.broker.balance.LoadSample.ContainerLoad;
import io.sluice.broker.balance.LoadSample.PartitionLoad;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The load as it will be after the moves decided so far: a partition takes its load with it. */
final class Balances {
    private final Map<Integer, ContainerLoad> containers = new HashMap<>();
    private final Map<Integer, List<PartitionLoad>> partitions = new HashMap<>();
    private final Map<Integer, Double> loads = new HashMap<>();
    private final double mean;

    Balances(LoadSample sample, List<ContainerLoad> settled) {
        for (ContainerLoad container : settled) {
            containers.put(container.id(), container);
            partitions.put(container.id(), new ArrayList<>());
            loads.put(container.id(), container.load());
        }
        for (PartitionLoad partition : sample.partitions()) {
            List<PartitionLoad> there = partitions.get(partition.container());
            if (there != null) {
                there.add(partition);
            }
        }
        mean = settled.stream().mapToDouble(ContainerLoad::load).average().orElse(0);
    }

    double mean() {
        return mean;
    }

    Collection<ContainerLoad> containers() {
        return containers.values();
    }

    ContainerLoad container(int id) {
        ContainerLoad container = containers.get(id);
        if (container == null) {
            throw new IllegalArgumentException("there is no container " + id);
        }
        return container;
    }

    double load(int container) {
        return loads.getOrDefault(container, 0.0);
    }

    List<PartitionLoad> partitions(int container) {
        return partitions.getOrDefault(container, List.of());
    }

    void move(PartitionLoad partition, int to) {
        partitions(partition.container()).remove(partition);
        partitions(to)
                .add(new PartitionLoad(
                        partition.topic(), partition.partition(), partition.id(), to, true, partition.rate()));
        loads.merge(partition.container(), -partition.load(), Double::sum);
        loads.merge(to, partition.load(), Double::sum);
    }
}
