package io.sluice.perf.report;

import io.sluice.perf.result.Measure;
import io.sluice.perf.result.Spread;

/** What a ratio of Sluice to a peer says, at a glance. */
enum Verdict {
    BETTER("▲", "better"),
    EVEN("≈", "even"),
    WORSE("▼", "worse"),
    UNKNOWN("", "not measured");

    /** Less is noise on a machine that runs more than one process. */
    private static final double NOTABLE = 1.05;

    private final String sign;
    private final String word;

    Verdict(String sign, String word) {
        this.sign = sign;
        this.word = word;
    }

    String sign() {
        return sign;
    }

    String word() {
        return word;
    }

    /** Even when within 5 %, or when the rounds disagree about who is ahead. */
    static Verdict of(Measure measure, Spread ratio) {
        return ratio.low() < 1 && ratio.high() > 1 ? EVEN : of(measure, ratio.median());
    }

    /** Even when within 5 %; unknown when NaN. */
    static Verdict of(Measure measure, double ratio) {
        if (Double.isNaN(ratio)) {
            return UNKNOWN;
        }
        double gain = measure.higherIsBetter() ? ratio : 1 / ratio;
        if (gain < NOTABLE && gain > 1 / NOTABLE) {
            return EVEN;
        }
        return gain > 1 ? BETTER : WORSE;
    }
}
