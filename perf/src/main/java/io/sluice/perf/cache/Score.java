package io.sluice.perf.cache;

import io.sluice.perf.result.Spread;

/**
 * How long one cache took for one test.
 *
 * @param millis a shot, over the forks: median, lowest and highest
 */
record Score(Discipline discipline, Contestant contestant, Spread millis) {
    private static final double NANOS_PER_MILLI = 1e6;

    double nanosPerOperation() {
        return millis.median() * NANOS_PER_MILLI / discipline.operations();
    }

    /** This one's median ÷ the other's: below 1, this one is faster. */
    double over(Score other) {
        return millis.median() / other.millis.median();
    }
}
