package io.sluice.broker.balance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Observations and moves of earlier rounds that later ones need. All times in milliseconds of the one clock of the
 * decision. Older entries are left out.
 *
 * @param hotSince by container
 * @param partitionMoved by partition id
 * @param gave by container
 * @param took by container
 * @param moves of the last hour, oldest first
 */
public record BalanceHistory(
        Map<Integer, Long> hotSince,
        Map<Long, Long> partitionMoved,
        Map<Integer, Long> gave,
        Map<Integer, Long> took,
        List<Long> moves) {
    static final long HOUR = 3_600_000;

    public static final BalanceHistory NONE = new BalanceHistory(Map.of(), Map.of(), Map.of(), Map.of(), List.of());

    public BalanceHistory {
        hotSince = Map.copyOf(hotSince);
        partitionMoved = Map.copyOf(partitionMoved);
        gave = Map.copyOf(gave);
        took = Map.copyOf(took);
        moves = List.copyOf(moves);
    }

    BalanceHistory at(long now, BalanceSettings settings) {
        return new BalanceHistory(
                hotSince,
                after(now - settings.partitionMillis(), partitionMoved),
                after(now - settings.containerMillis(), gave),
                after(now - settings.containerMillis(), took),
                moves.stream().filter(at -> at > now - HOUR).toList());
    }

    private static <K> Map<K, Long> after(long time, Map<K, Long> times) {
        Map<K, Long> kept = new HashMap<>(times);
        kept.values().removeIf(at -> at <= time);
        return kept;
    }

    BalanceHistory withHot(Map<Integer, Long> since) {
        return new BalanceHistory(since, partitionMoved, gave, took, moves);
    }

    BalanceHistory with(Move move, long now) {
        List<Long> all = new ArrayList<>(moves);
        all.add(now);
        return new BalanceHistory(
                hotSince,
                put(partitionMoved, move.partitionId(), now),
                put(gave, move.from(), now),
                put(took, move.to(), now),
                all);
    }

    private static <K> Map<K, Long> put(Map<K, Long> times, K key, long now) {
        Map<K, Long> all = new HashMap<>(times);
        all.put(key, now);
        return all;
    }
}
