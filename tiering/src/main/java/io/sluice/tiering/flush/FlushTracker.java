package io.sluice.tiering.flush;

import io.sluice.store.tier.TierHost.Dirty;
import io.sluice.tiering.flush.FlushPlan.Candidate;
import io.sluice.tiering.flush.FlushPlan.Chosen;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to flush: the dirty ranges less what is on its way already. Pure state, no I/O; one per container.
 *
 * <pre>
 *   tiered │ on its way (chosen, not yet committed) │ candidate │ not yet durable
 *          ▲ Dirty.from                              ▲ Flight.to  ▲ Dirty.to
 * </pre>
 */
final class FlushTracker {
    private FlushPolicy policy;
    private final Map<Long, Flight> flights = new HashMap<>();
    private final List<Candidate> candidates = new ArrayList<>();
    private long swept;
    private int objects;
    private long bytes;

    /** A segment's bytes on their way: they end at {@code to}, in {@code pieces} objects; those after them wait since. */
    private record Flight(long to, long since, int pieces) {}

    FlushTracker(FlushPolicy policy) {
        this.policy = policy;
    }

    void resize(FlushPolicy changed) {
        policy = changed;
    }

    /** Objects that may be begun now. */
    int room() {
        return policy.uploads() - objects;
    }

    /** Bytes on their way. */
    long bytes() {
        return bytes;
    }

    /** A scan begins; then comes every dirty range, then {@link #choose}. */
    void beginScan() {
        candidates.clear();
    }

    void scan(Dirty dirty) {
        Flight flight = flights.get(dirty.segment());
        long from = flight == null ? dirty.from() : Math.max(dirty.from(), flight.to());
        if (from < dirty.to()) {
            long since = flight == null ? dirty.since() : Math.max(dirty.since(), flight.since());
            candidates.add(new Candidate(dirty.segment(), from, dirty.to(), since));
        }
    }

    List<Chosen> choose(double pressure, long now) {
        FlushPlan.Choice choice = FlushPlan.choose(policy, candidates, pressure, room(), now, swept);
        swept = choice.swept();
        return choice.objects();
    }

    /**
     * The object is on its way.
     *
     * @param now what of its segments is not yet on its way became durable after this, or is taken to have
     */
    void begun(Chosen object, long now) {
        objects++;
        for (FlushPlan.Piece piece : object.pieces()) {
            @Nullable Flight flight = flights.get(piece.segment());
            int pieces = flight == null ? 1 : flight.pieces() + 1;
            flights.put(piece.segment(), new Flight(piece.to(), now, pieces));
            bytes += piece.length();
        }
    }

    /** The object's commit is durable: the host no longer reports its bytes. */
    void retired(Chosen object) {
        objects--;
        for (FlushPlan.Piece piece : object.pieces()) {
            flights.computeIfPresent(
                    piece.segment(),
                    (segment, flight) ->
                            flight.pieces() == 1 ? null : new Flight(flight.to(), flight.since(), flight.pieces() - 1));
            bytes -= piece.length();
        }
    }
}
