package io.sluice.store.container;

import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * How far a container's term has come, and why it ends. The loop moves it on; whoever asks from another thread sees what it
 * last was. See {@link Container} for the phases.
 */
final class TermLife {
    private final int container;
    private final long closeDeadlineMicros;

    private volatile Phase phase = Phase.RECOVERING;
    private volatile long term;
    private volatile boolean closing;
    private volatile @Nullable String stopReason;
    private volatile boolean storedAhead;
    private volatile @Nullable String damage;
    private volatile boolean logAway;
    private volatile boolean logClosed;
    private volatile boolean finished;
    private long closeAt = Long.MAX_VALUE;

    enum Phase {
        RECOVERING,
        STARTING,
        STORING,
        SERVING,
        STOPPED
    }

    /** @param closeDeadlineMicros how long a container that closes waits for what is in flight */
    TermLife(int container, long closeDeadlineMicros) {
        this.container = container;
        this.closeDeadlineMicros = closeDeadlineMicros;
    }

    Phase phase() {
        return phase;
    }

    boolean is(Phase one) {
        return phase == one;
    }

    void enter(Phase next) {
        phase = next;
    }

    /** 0 until the log was taken over. */
    long term() {
        return term;
    }

    void begin(long number) {
        term = number;
    }

    /** Ends the term after everything in flight has finished; any thread. */
    void close() {
        closing = true;
    }

    boolean closing() {
        return closing;
    }

    /** Ends the term if it closes and nothing is in flight any more, or the time for that is over. */
    void finishClosing(long nowMicros, boolean idle) {
        if (closing) {
            closeAt = Math.min(closeAt, nowMicros + closeDeadlineMicros);
            if (idle || nowMicros >= closeAt) {
                stop("closed");
            }
        }
    }

    /** The term ends with this turn of the loop. The first reason counts. */
    void stop(String reason) {
        if (stopReason == null) {
            stopReason = reason;
        }
    }

    /** Null while the term is to go on. */
    @Nullable
    String stopReason() {
        return stopReason;
    }

    boolean ending() {
        return stopReason != null;
    }

    /** Nothing is served from now on. */
    void stopped(String reason) {
        phase = Phase.STOPPED;
        stopReason = reason;
    }

    /** Any thread. */
    void logClosed() {
        logClosed = true;
    }

    boolean isLogClosed() {
        return logClosed;
    }

    void finish() {
        finished = true;
    }

    boolean finished() {
        return finished;
    }

    /** It ends because it has stored what the next term would otherwise have to hold. */
    void haveStoredAhead() {
        storedAhead = true;
    }

    boolean storedAhead() {
        return storedAhead;
    }

    /** No later term will do better. */
    void damaged(@Nullable String what) {
        damage = what;
    }

    @Nullable
    String damage() {
        return damage;
    }

    /** It ends because the log cannot be reached from here, or has too few bookies. */
    void logIsAway() {
        logAway = true;
    }

    boolean isLogAway() {
        return logAway;
    }

    /** Failure for calls outside the time that the term serves. */
    StoreFailure notOwner() {
        String reason = stopReason;
        return notOwner(reason == null ? "not open" : reason);
    }

    StoreFailure notOwner(String reason) {
        return new StoreFailure.NotOwner(
                container, "container " + container + " is not served here any more: " + reason);
    }
}
