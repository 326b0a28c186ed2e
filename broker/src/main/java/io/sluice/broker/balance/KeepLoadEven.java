package io.sluice.broker.balance;

import io.sluice.broker.topic.TopicCatalogue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the load of the containers and moves partitions while it is uneven. Blocking; safe to cut off
 * anywhere, for a move under way is finished or undone by the catalogue. Containers whose logs have one level of durability are
 * even among themselves. One thread at a time, but for {@link #view}.
 */
public final class KeepLoadEven {
    private static final Logger log = LoggerFactory.getLogger(KeepLoadEven.class);

    /** Longer than the steps of a move wait for a container. */
    private static final long MOVE_SECONDS = 60;

    private static final int MOVES_SHOWN = 100;

    private final TopicCatalogue catalogue;
    private final LoadSource measure;
    private final BalancePolicy policy;
    private final LongSupplier clock;
    private final Deque<Done> late = new ArrayDeque<>();
    private final IntUnaryOperator levelOf;
    private final Map<Integer, BalanceHistory> histories = new TreeMap<>();
    private volatile View view = new View(new LoadSample(List.of(), List.of()), List.of());

    /**
     * @param levelOf level of durability of a container
     * @param clock milliseconds, which only rise; that of {@code measure}
     */
    public KeepLoadEven(
            TopicCatalogue catalogue,
            LoadSource measure,
            BalancePolicy policy,
            IntUnaryOperator levelOf,
            LongSupplier clock) {
        this.levelOf = levelOf;
        this.catalogue = catalogue;
        this.measure = measure;
        this.policy = policy;
        this.clock = clock;
    }

    /**
     * @param moved whether it has, as far as is known
     * @param at by the clock
     */
    public record Done(Move move, boolean moved, long at) {}

    /**
     * @param sample of the last round, before its moves
     * @param moves the last 100, newest first
     */
    public record View(LoadSample sample, List<Done> moves) {}

    /** For people. Any thread. */
    public View view() {
        return view;
    }

    /** Since a time by the clock. Any thread. */
    public long secondsSince(long at) {
        return (clock.getAsLong() - at) / 1_000;
    }

    /** Measures, too. Gives the moves it made or tried. */
    public List<Done> round() throws InterruptedException {
        return round(measure.sample());
    }

    /** Gives the moves it made or tried. */
    public List<Done> round(LoadSample sample) throws InterruptedException {
        List<Done> all = new ArrayList<>();
        for (Move move : decide(sample)) {
            Done done = new Done(move, carryOut(move), clock.getAsLong());
            all.add(done);
            late.addFirst(done);
            if (late.size() > MOVES_SHOWN) {
                late.removeLast();
            }
        }
        view = new View(sample, List.copyOf(late));
        return all;
    }

    private List<Move> decide(LoadSample sample) {
        List<Move> moves = new ArrayList<>();
        for (int level : levels(sample)) {
            BalancePolicy.Decision decision = policy.decide(
                    sample.of(id -> levelOf.applyAsInt(id) == level),
                    histories.getOrDefault(level, BalanceHistory.NONE),
                    clock.getAsLong());
            histories.put(level, decision.history());
            moves.addAll(decision.moves());
        }
        return moves;
    }

    private Set<Integer> levels(LoadSample sample) {
        return sample.containers().stream()
                .map(container -> levelOf.applyAsInt(container.id()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Highest unevenness of any level; see {@link LoadSample#unevenness}. Any thread. */
    public double unevenness() {
        LoadSample sample = view.sample();
        return levels(sample).stream()
                .mapToDouble(level ->
                        sample.of(id -> levelOf.applyAsInt(id) == level).unevenness())
                .max()
                .orElse(1);
    }

    private boolean carryOut(Move move) throws InterruptedException {
        log.info("Moves {}", move);
        try {
            catalogue.move(move.topic(), move.partition(), move.to()).get(MOVE_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            log.warn("Could not move {}: {}", move, String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            log.warn("Did not hear within {} s whether it moved {}", MOVE_SECONDS, move);
        }
        return false;
    }
}
