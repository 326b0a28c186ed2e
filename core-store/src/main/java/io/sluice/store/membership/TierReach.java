package io.sluice.store.membership;

import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Whether this process reaches long-term storage, as far as it has tried, and what it tells other nodes of that. Any thread.
 *
 * <pre>
 *   a request fails or waits ─► in doubt ─► tried ──► answered
 *                                  ▲          └──► not, for {@link #PATIENCE}: missed, told ─► answered for {@link #HOLD} ─► told no more
 *   another node misses it ────────┘                    │ a node that reaches it gets the containers
 * </pre>
 *
 * While nothing is in doubt anywhere, nothing is tried and nothing told. Where no node reaches long-term storage, nothing moves.
 */
public final class TierReach {
    /** Fact of a node, with any value: it has just been answered by long-term storage, which another node misses. */
    public static final String REACHED = "tier.reached";
    /** Fact of a node, with any value: long-term storage does not answer it. */
    public static final String MISSED = "tier.missed";

    static final Duration PATIENCE = Duration.ofSeconds(5);
    /** Else containers would come back between two failures. */
    static final Duration HOLD = Duration.ofSeconds(30);

    private static final String YES = "yes";

    private final LongSupplier nanos;
    private boolean answered = true;
    private boolean missed;
    /** When the trials began to have the outcome that they have. */
    private long since;

    /** @param nanos a clock that only rises */
    public TierReach(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * Whether to try now.
     *
     * @param doubted requests of this process fail or wait
     */
    public synchronized boolean isInDoubt(boolean doubted, boolean missedElsewhere) {
        return doubted || missedElsewhere || missed || !answered;
    }

    /** Outcome of a trial. */
    public synchronized void tried(boolean nowAnswered) {
        long now = nanos.getAsLong();
        if (nowAnswered != answered) {
            answered = nowAnswered;
            since = now;
        }
        if (missed == answered && now - since >= (missed ? HOLD : PATIENCE).toNanos()) {
            missed = !missed;
        }
    }

    /** Facts for other nodes, {@link #REACHED} and {@link #MISSED}; an empty value is nothing to tell. */
    public synchronized Map<String, String> facts(boolean missedElsewhere) {
        return Map.of(MISSED, missed ? YES : "", REACHED, missedElsewhere && answered && !missed ? YES : "");
    }

    /** Whether a node says so. */
    public static boolean told(NodeRecord record, String fact) {
        return record.facts().containsKey(fact);
    }
}
