package io.sluice.perf.result;

import java.util.Collection;

/**
 * How much stands behind a comparison.
 *
 * @param rounds in which both sides were measured
 * @param warm whether each of them had been under load for long enough, in all rounds
 */
public record Evidence(int rounds, boolean warm) {
    public static final Evidence NONE = new Evidence(0, false);

    /** With fewer, one slow minute of the machine decides who is ahead. */
    public static final int LEAST_ROUNDS = 3;

    /** Evidence from the results of all sides; one that failed need not be warm. */
    public static Evidence of(int rounds, Collection<RunResult> results) {
        return new Evidence(
                rounds,
                results.stream()
                        .filter(result -> result.failure() == null)
                        .allMatch(result -> result.warmth().suffices()));
    }

    /** Whether it may be said who is ahead. */
    public boolean isEnough() {
        return rounds >= LEAST_ROUNDS && warm;
    }

    /** Evidence of two comparisons that are told together. */
    public Evidence and(Evidence other) {
        return new Evidence(Math.min(rounds, other.rounds), warm && other.warm);
    }
}
