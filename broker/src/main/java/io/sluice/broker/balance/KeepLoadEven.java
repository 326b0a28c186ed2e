package io.sluice.broker.balance;

import io.sluice.broker.topic.TopicCatalogue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the load of the containers served here and moves partitions while it is uneven. Blocking; safe to cut off
 * anywhere, for a move under way is finished or undone by the catalogue. One thread at a time.
 */
public final class KeepLoadEven {
    private static final Logger log = LoggerFactory.getLogger(KeepLoadEven.class);

    /** Longer than the steps of a move wait for a container. */
    private static final long MOVE_SECONDS = 60;

    private final TopicCatalogue catalogue;
    private final MeasureLoad measure;
    private final BalancePolicy policy;
    private final LongSupplier clock;
    private BalanceHistory history = BalanceHistory.NONE;

    /** @param clock milliseconds, which only rise; that of {@code measure} */
    public KeepLoadEven(TopicCatalogue catalogue, MeasureLoad measure, BalancePolicy policy, LongSupplier clock) {
        this.catalogue = catalogue;
        this.measure = measure;
        this.policy = policy;
        this.clock = clock;
    }

    /**
     * @param unevenness before the moves, see {@link LoadSample#unevenness}
     */
    public record Round(double unevenness, List<Move> moved, List<Move> failed) {}

    public Round round() throws InterruptedException {
        LoadSample sample = measure.sample();
        BalancePolicy.Decision decision = policy.decide(sample, history, clock.getAsLong());
        history = decision.history();
        List<Move> moved = new ArrayList<>();
        List<Move> failed = new ArrayList<>();
        for (Move move : decision.moves()) {
            (carryOut(move) ? moved : failed).add(move);
        }
        return new Round(sample.unevenness(), moved, failed);
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
