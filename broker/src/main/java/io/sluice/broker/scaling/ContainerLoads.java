package io.sluice.broker.scaling;

import io.sluice.broker.balance.LoadSample;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Loads of containers, including the effect of this round's changes. */
final class ContainerLoads {
    /** Bytes a second at or below which a container is never hot; that of the balance. */
    private static final double FLOOR = 1 << 20;

    /** Times the mean to which others may fill a container; to here the balance empties hot ones. */
    private static final double EVEN = 1.15;

    private final Map<Integer, Double> loads = new HashMap<>();

    ContainerLoads(LoadSample sample) {
        sample.containers().forEach(c -> loads.put(c.id(), c.rate().load()));
    }

    boolean isServed(int container) {
        return loads.containsKey(container);
    }

    double load(int container) {
        return loads.getOrDefault(container, 0.0);
    }

    Optional<Integer> coolest(Collection<Integer> of) {
        return of.stream()
                .filter(loads::containsKey)
                .min(Comparator.<Integer>comparingDouble(this::load).thenComparingInt(id -> id));
    }

    /** Whether a container is not hot with so much more. */
    boolean hasRoom(int container, double more, Collection<Integer> level) {
        double mean = level.stream()
                .filter(loads::containsKey)
                .mapToDouble(this::load)
                .average()
                .orElse(0);
        return isServed(container) && load(container) + more <= Math.max(FLOOR, EVEN * mean);
    }

    void move(double load, int from, int to) {
        loads.merge(from, -load, Double::sum);
        loads.merge(to, load, Double::sum);
    }
}
