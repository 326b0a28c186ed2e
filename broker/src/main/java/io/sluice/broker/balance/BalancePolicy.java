package io.sluice.broker.balance;

import io.sluice.broker.balance.LoadSample.ContainerLoad;
import io.sluice.broker.balance.LoadSample.PartitionLoad;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which partitions move. Pure.
 *
 * <pre>
 *   load of a container
 *     hot × mean   ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─   above it for a while: begins to give partitions away
 *     even × mean  ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─   down to here
 *     mean         ─────────────────────   up to about here others take them
 * </pre>
 *
 * <p>The coolest container takes the largest partition that leaves it no hotter than the giver then is. One that is hot by
 * itself stays: wherever it went would be as hot. So each move lowers the higher of two loads, and load that does not change
 * comes to rest.
 */
public class BalancePolicy {
    /** Share of the time from which a loop counts as busy. */
    private static final double BUSY_LOOP = 0.8;

    /** A move that makes the taker hotter than the giver then is must make it this much less hot than the giver was. */
    private static final double WORTHWHILE = 0.8;

    private final BalanceSettings settings;

    public BalancePolicy(BalanceSettings settings) {
        this.settings = settings;
    }

    /** @param history to be given to the next round */
    public record Decision(List<Move> moves, BalanceHistory history) {}

    /**
     * @param history of the round before
     * @param now milliseconds; never less than before
     */
    public Decision decide(LoadSample sample, BalanceHistory history, long now) {
        List<ContainerLoad> settled = sample.containers().stream()
                .filter(container -> now - container.servedSince() >= settings.hotMillis())
                .toList();
        Balances loads = new Balances(sample, settled);
        BalanceHistory past = history.at(now, settings);
        BalanceHistory next = past.withHot(hotSince(loads, past.hotSince(), now));
        List<Move> moves = new ArrayList<>();
        while (moves.size() < settings.movesPerRound() && next.moves().size() < settings.movesPerHour()) {
            Move move = nextMove(loads, next, now);
            if (move == null) {
                break;
            }
            moves.add(move);
            next = next.with(move, now);
        }
        return new Decision(moves, next);
    }

    private Map<Integer, Long> hotSince(Balances loads, Map<Integer, Long> before, long now) {
        Map<Integer, Long> hot = new HashMap<>();
        for (ContainerLoad container : loads.containers()) {
            long since = before.getOrDefault(container.id(), now);
            boolean giving = isRipe(since, now) && container.load() > limit(loads, settings.evenFactor());
            if (giving
                    || container.load()
                            > limit(loads, isStrained(container) ? settings.strainedFactor() : settings.hotFactor())) {
                hot.put(container.id(), since);
            }
        }
        return hot;
    }

    private boolean isRipe(long since, long now) {
        return now - since >= settings.hotMillis();
    }

    private boolean isStrained(ContainerLoad container) {
        return container.strain().pressure() >= settings.strained();
    }

    private double limit(Balances loads, double factor) {
        return Math.max(settings.floor(), loads.mean() * factor);
    }

    private @Nullable Move nextMove(Balances loads, BalanceHistory history, long now) {
        List<Integer> givers = history.hotSince().entrySet().stream()
                .filter(hot -> isRipe(hot.getValue(), now))
                .map(Map.Entry::getKey)
                .filter(id -> !history.took().containsKey(id))
                .filter(id -> loads.load(id) > limit(loads, settings.evenFactor()))
                .sorted(Comparator.comparingDouble(id -> -loads.load(id)))
                .toList();
        for (int from : givers) {
            for (int to : takers(loads, history, loads.container(from))) {
                PartitionLoad partition = partition(loads, history, from, to);
                if (partition != null) {
                    String reason = reason(loads, loads.container(from));
                    loads.move(partition, to);
                    return new Move(partition.topic(), partition.partition(), partition.id(), from, to, reason);
                }
            }
        }
        return null;
    }

    /** The coolest of all; before it, if the giver's loop is busy, the coolest of another loop that has less to do. */
    private List<Integer> takers(Balances loads, BalanceHistory history, ContainerLoad from) {
        List<ContainerLoad> all = loads.containers().stream()
                .filter(to -> to.id() != from.id() && !isStrained(to))
                .filter(to -> !history.hotSince().containsKey(to.id())
                        && !history.gave().containsKey(to.id()))
                .sorted(Comparator.comparingDouble((ContainerLoad to) -> loads.load(to.id()))
                        .thenComparingInt(ContainerLoad::id))
                .toList();
        Stream<ContainerLoad> elsewhere = all.stream()
                .filter(to -> from.strain().loopBusy() >= BUSY_LOOP
                        && to.strain().loop() != from.strain().loop()
                        && to.strain().loopBusy() < BUSY_LOOP * from.strain().loopBusy()
                        && loads.load(to.id()) < loads.mean());
        return Stream.concat(elsewhere.limit(1), all.stream().limit(1))
                .map(ContainerLoad::id)
                .distinct()
                .toList();
    }

    private @Nullable PartitionLoad partition(Balances loads, BalanceHistory history, int from, int to) {
        double giver = loads.load(from);
        double taker = loads.load(to);
        double roomToEven = limit(loads, settings.evenFactor()) - taker;
        PartitionLoad largest = null;
        PartitionLoad smallest = null;
        for (PartitionLoad partition : loads.partitions(from)) {
            double load = partition.load();
            if (partition.stays()
                    || load < settings.leastPartition()
                    || history.partitionMoved().containsKey(partition.id())
                    || !isBetter(giver, taker, load)) {
                continue;
            }
            if (load <= roomToEven && taker + load <= giver - load && (largest == null || load > largest.load())) {
                largest = partition;
            }
            if (smallest == null || load < smallest.load()) {
                smallest = partition;
            }
        }
        return largest != null ? largest : smallest;
    }

    /** Whether the taker does not merely become what the giver was. */
    boolean isBetter(double giver, double taker, double partition) {
        return taker + partition <= giver - partition || taker + partition <= WORTHWHILE * giver;
    }

    private static String reason(Balances loads, ContainerLoad from) {
        Rate rate = from.rate();
        String busy = from.strain().loopBusy() >= BUSY_LOOP
                ? String.format(
                        Locale.ROOT,
                        ", its loop works %.0f %% of the time",
                        100 * from.strain().loopBusy())
                : "";
        return String.format(
                Locale.ROOT,
                "container %d writes %.1f MB/s in %.0f entries/s and reads %.1f MB/s, a load of %.1f MB/s;"
                        + " the mean is %.1f MB/s%s",
                from.id(),
                rate.bytesIn() / 1e6,
                rate.appends(),
                rate.bytesOut() / 1e6,
                loads.load(from.id()) / 1e6,
                loads.mean() / 1e6,
                busy);
    }
}
