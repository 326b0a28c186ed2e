package io.sluice.broker.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.balance.LoadSample.PartitionLoad;
import io.sluice.broker.balance.LoadSample.Served;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The policy over simulated time: partitions with loads that a test sets, measured every five seconds with noise and smoothed as
 * {@link MeasureLoad} does. After each move: nobody has become hotter than the giver was, nothing moved again too soon, and
 * not too much at once.
 */
final class BalanceSim {
    static final double MB = 1e6;
    private static final long STEP_MILLIS = 5_000;
    private static final double SHARE = -Math.expm1(-STEP_MILLIS / 10_000.0);
    private static final TopicName TOPIC = TopicName.ofDefault("simulated");
    private static final BalanceSettings SETTINGS = BalanceSettings.DEFAULT;

    private final Random random;
    private final BalancePolicy policy;
    private final Map<Integer, Long> servedSince = new TreeMap<>();
    private final Map<Integer, Strain> strains = new HashMap<>();
    private final List<Partition> partitions = new ArrayList<>();
    private BalanceHistory history = BalanceHistory.NONE;
    private long now = 1_000_000;
    private int moves;

    /** Part of a partition's load by which a measurement is off at most, 0 to 1. */
    double noise;

    static final class Partition {
        final long id;
        final boolean internal;
        int container;
        double load;
        private Rate measured = Rate.NONE;
        private long movedAt = Long.MIN_VALUE / 2;
        int moves;

        private Partition(long id, int container, double load, boolean internal) {
            this.id = id;
            this.container = container;
            this.load = load;
            this.internal = internal;
        }
    }

    BalanceSim(long seed, BalanceSimBug bug) {
        random = new Random(seed);
        policy = switch (bug) {
            case NONE -> new BalancePolicy(SETTINGS);
            case NO_COOLDOWN ->
                new BalancePolicy(new BalanceSettings(
                        SETTINGS.floor(),
                        SETTINGS.hotFactor(),
                        SETTINGS.evenFactor(),
                        SETTINGS.strained(),
                        SETTINGS.strainedFactor(),
                        SETTINGS.leastPartition(),
                        SETTINGS.hotMillis(),
                        0,
                        0,
                        SETTINGS.movesPerRound(),
                        SETTINGS.movesPerHour()));
            case TARGET_NOT_CHECKED ->
                new BalancePolicy(SETTINGS) {
                    @Override
                    boolean isBetter(double giver, double taker, double partition) {
                        return true;
                    }
                };
        };
    }

    Random random() {
        return random;
    }

    void serve(int container) {
        servedSince.put(container, now);
    }

    void vanish(int container) {
        servedSince.remove(container);
    }

    void strain(int container, Strain strain) {
        strains.put(container, strain);
    }

    Partition add(int container, double load) {
        return add(container, load, false);
    }

    Partition add(int container, double load, boolean internal) {
        Partition partition = new Partition(partitions.size() + 1, container, load, internal);
        partitions.add(partition);
        return partition;
    }

    List<Partition> partitions() {
        return partitions;
    }

    int moves() {
        return moves;
    }

    void run(long seconds) {
        for (long end = now + 1_000 * seconds; now < end; ) {
            now += STEP_MILLIS;
            step();
        }
    }

    private void step() {
        List<PartitionLoad> loads = new ArrayList<>();
        for (Partition partition : partitions) {
            if (servedSince.containsKey(partition.container)) {
                double seen = partition.load * (1 + noise * (2 * random.nextDouble() - 1));
                partition.measured = partition.measured.toward(new Rate(seen, 0, 0, 0, 0, 0), SHARE);
                loads.add(new PartitionLoad(
                        TOPIC,
                        (int) partition.id,
                        partition.id,
                        partition.container,
                        partition.internal,
                        partition.measured));
            }
        }
        List<Served> served = new ArrayList<>();
        servedSince.forEach((id, since) -> served.add(new Served(id, since, strains.getOrDefault(id, Strain.NONE))));
        BalancePolicy.Decision decision = policy.decide(LoadSample.of(loads, served), history, now);
        history = decision.history();
        assertThat(decision.moves()).hasSizeLessThanOrEqualTo(SETTINGS.movesPerRound());
        decision.moves().forEach(this::move);
    }

    private void move(Move move) {
        Partition partition = partitions.get((int) move.partitionId() - 1);
        assertThat(partition.container).isEqualTo(move.from()).isNotEqualTo(move.to());
        assertThat(servedSince).containsKeys(move.from(), move.to());
        assertThat(partition.internal).as("internal").isFalse();
        assertThat(now - partition.movedAt).as("time since it moved before").isGreaterThanOrEqualTo(600_000);
        double before = measured(move.from());
        partition.movedAt = now;
        partition.moves++;
        moves++;
        if (random.nextInt(50) != 0) { // else the move failed
            partition.container = move.to();
            assertThat(measured(move.to())).as("load of the taker").isLessThan(before);
        }
    }

    private double measured(int container) {
        return partitions.stream()
                .filter(p -> p.container == container)
                .mapToDouble(p -> p.measured.load())
                .sum();
    }

    double load(int container) {
        return partitions.stream()
                .filter(p -> p.container == container)
                .mapToDouble(p -> p.load)
                .sum();
    }

    double hottest() {
        return servedSince.keySet().stream().mapToDouble(this::load).max().orElse(0);
    }

    double mean() {
        return servedSince.keySet().stream().mapToDouble(this::load).average().orElse(0);
    }

    double largestPartition() {
        return partitions.stream().mapToDouble(p -> p.load).max().orElse(0);
    }
}
