package io.sluice.perf.compare;

import io.sluice.perf.result.Measure;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.workload.Workload;
import java.util.Optional;

/**
 * One load at rates that double until a system no longer keeps up. The last step shows what it makes of more than it can take.
 *
 * @param shape whose rate is that of the first step, and whose warm-up comes once, before it
 */
record Climb(Workload shape) {
    private static final double MOST_P99_MILLIS = 1_000;
    private static final int STEP_WARM_UP_SECONDS = 2;

    Workload first() {
        return at(shape.producerRate());
    }

    /** The step after this one; none when this one was too much. */
    Optional<Workload> after(RunResult step) {
        int rate = step.workload().producerRate();
        boolean keptUp = step.failure() == null
                && Measure.keptUp(step.sustainedPerSecond(), rate)
                && step.figures().publish().p99() <= MOST_P99_MILLIS;
        return keptUp && rate <= Integer.MAX_VALUE / 2 ? Optional.of(at(2 * rate)) : Optional.empty();
    }

    private Workload at(int rate) {
        return shape.atRate("%s, %,d/s".formatted(shape.name(), rate), rate).withWarmUp(STEP_WARM_UP_SECONDS);
    }
}
