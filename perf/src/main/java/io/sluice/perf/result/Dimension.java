package io.sluice.perf.result;

import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;

/** Something in which two loads of one system differ. */
public enum Dimension {
    PARTITIONS("partitions"),
    SUBSCRIPTIONS("subscriptions"),
    READERS("readers of a subscription"),
    PRODUCERS("producers"),
    KEYS("keys"),
    BATCHING("client batching"),
    /** Durability of an acknowledgement: the load is the same, the system's name differs behind its dash. */
    LEVEL("durability");

    private final String title;

    Dimension(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** Value of the dimension in a result, in order of size where there is one. */
    Comparable<?> of(RunResult result) {
        Workload load = result.workload();
        return switch (this) {
            case PARTITIONS -> load.partitionsPerTopic();
            case SUBSCRIPTIONS -> load.subscriptionsPerTopic();
            case READERS -> load.consumerPerSubscription();
            case PRODUCERS -> load.producersPerTopic();
            case KEYS -> load.keyDistributor();
            case BATCHING -> load.batching();
            case LEVEL -> result.subject().name();
        };
    }

    /** The load with this dimension and the name left out: equal for those that differ in nothing else. */
    Workload rest(Workload load) {
        return new Workload(
                this == LEVEL ? load.name() : "",
                load.topics(),
                this == PARTITIONS ? 1 : load.partitionsPerTopic(),
                load.messageSize(),
                this == SUBSCRIPTIONS ? load.tailSubscriptions() + 1 : load.subscriptionsPerTopic(),
                this == READERS ? 1 : load.consumerPerSubscription(),
                this == PRODUCERS ? 1 : load.producersPerTopic(),
                load.producerRate(),
                this == KEYS ? KeyDistributor.NO_KEY : load.keyDistributor(),
                load.consumerBacklogSizeGB(),
                load.warmupDurationSeconds(),
                load.testDurationSeconds(),
                this == BATCHING ? Batching.STANDARD : load.batching(),
                load.tailSubscriptions(),
                load.sharing());
    }
}
