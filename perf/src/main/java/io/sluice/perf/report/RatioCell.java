package io.sluice.perf.report;

import io.sluice.perf.result.Spread;
import io.sluice.perf.result.Verdict;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** A ratio in a table; sign and colour say who is ahead. */
record RatioCell(Spread spread, Verdict verdict) {
    static RatioCell of(double ratio, Verdict verdict) {
        return new RatioCell(Spread.of(DoubleStream.of(ratio)), verdict);
    }

    boolean isKnown() {
        return verdict != Verdict.UNKNOWN;
    }

    String figure() {
        return verdict.sign() + " " + Numbers.times(spread.median());
    }

    String range() {
        return Numbers.range(spread, Numbers::ratio);
    }

    String word() {
        return verdict.word();
    }

    String cssClass() {
        return cssClass(verdict);
    }

    static String cssClass(Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT);
    }
}
