package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.RunResult;
import io.sluice.perf.suite.Course;
import io.sluice.perf.suite.Suite;
import io.sluice.perf.suite.Suites;
import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClimbTest {
    private static final Suite SWEEP = Suites.named("sweep").orElseThrow();
    private static final Workload SHAPE =
            SWEEP.only("16 partitions, 1,000 B, keyed").workloads().getFirst();

    /** What a system does that takes so many records per second and no more. */
    private static List<Integer> rates(int most, double p99) {
        var climb = new Climb(SHAPE);
        List<Integer> rates = new ArrayList<>();
        for (Optional<Workload> step = Optional.of(climb.first()); step.isPresent(); ) {
            int rate = step.get().producerRate();
            rates.add(rate);
            step = climb.after(Results.of("sluice", 1, step.get(), Math.min(rate, most), p99, 1));
        }
        return rates;
    }

    @Test
    void theRateDoublesUntilThereIsMoreThanTheSystemTakes() {
        assertThat(rates(70_000, 5)).containsExactly(10_000, 20_000, 40_000, 80_000);
    }

    @Test
    void aSystemThatTakesAllButLateHasBeenClimbedToo() {
        assertThat(rates(70_000, 2_000)).containsExactly(10_000);
    }

    @Test
    void aSystemWhoseReadersFallBehindHasBeenClimbedToo() {
        var climb = new Climb(SHAPE);
        RunResult unread = Results.of("sluice", 1, climb.first(), 10_000, 1, 1, 5_000);
        assertThat(climb.after(unread)).isEmpty();
    }

    @Test
    void aFailureEndsIt() {
        var climb = new Climb(SHAPE);
        var entrant = new Entrant(new FakeContender("broken", List.of("kafka")), "kafka");
        RunResult failed = Results.failed(new Turn("sweep", 1, List.of(climb.first()), entrant, Course.RISING), "gone");
        assertThat(climb.after(failed)).isEmpty();
    }

    @Test
    void everyStepHasItsOwnNameAndTheSameShape() {
        var climb = new Climb(SHAPE);
        Workload second = climb.after(Results.of("sluice", 1, climb.first(), 10_000, 1, 1))
                .orElseThrow();
        assertThat(second.name()).isEqualTo("16 partitions, 1,000 B, keyed, 20,000/s");
        assertThat(second.withWarmUp(0).atRate("", 0))
                .isEqualTo(SHAPE.withWarmUp(0).atRate("", 0));
    }

    @Test
    void beforeTheFirstStepTheSystemIsWarmedUpFlatOut() {
        var entrant = new Entrant(new FakeContender("sluice", List.of("kafka")), "kafka");
        var shape = SHAPE.withWarmUp(60);
        Workload warmUp = new Turn("sweep", 1, List.of(shape), entrant, Course.RISING)
                .warmUp()
                .workload();
        assertThat(warmUp.producerRate()).isZero();
        assertThat(warmUp.warmupDurationSeconds()).isEqualTo(60);
        assertThat(new Climb(shape).first().warmupDurationSeconds()).isLessThan(10);
    }

    @Test
    void theSweepHasOneAndSixteenPartitionsThreeSizesKeyedAndNot() {
        assertThat(SWEEP.course()).isEqualTo(Course.RISING);
        assertThat(SWEEP.workloads()).hasSize(12).allMatch(workload -> workload.producerRate() > 0);
    }
}
