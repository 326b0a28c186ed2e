package io.sluice.perf.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.perf.result.RunResult.Figures;
import io.sluice.perf.result.RunResult.Latency;
import io.sluice.perf.result.RunResult.Machine;
import io.sluice.perf.result.RunResult.Subject;
import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RatiosTest {
    private static final Workload WORKLOAD = new Workload("w", 1, 1, 1000, 1, 1, 1, 0, KeyDistributor.NO_KEY, 0, 0, 10);
    private static final Workload AT_A_RATE =
            new Workload("r", 1, 1, 1000, 1, 1, 1, 500, KeyDistributor.NO_KEY, 0, 0, 10);
    private static final Workload BACKLOG = AT_A_RATE.withBacklog(1);
    private static final Warmth WARM = new Warmth(60, 1_000_000);
    private static final Latency NOTHING =
            new Latency(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, List.of());
    private int started;

    @Test
    void areTakenWithinARound() {
        List<Ratios> ratios = Ratios.of(List.of(
                result("sluice", "kafka", 1, 200),
                result("kafka", "kafka", 1, 100),
                result("kafka", "kafka", 2, 1000),
                result("sluice", "kafka", 2, 1500),
                result("sluice", "kafka", 3, 3000),
                result("kafka", "kafka", 3, 1000)));

        assertThat(ratios).hasSize(1);
        assertThat(ratios.getFirst().of(Measure.THROUGHPUT)).isEqualTo(new Spread(2, 1.5, 3, 3));
    }

    @Test
    void compareSluiceOverThePeersProtocol() {
        List<Ratios> ratios = Ratios.of(List.of(
                result("sluice", "kafka", 1, 200),
                result("sluice", "pulsar", 1, 300),
                result("kafka", "kafka", 1, 100),
                result("pulsar", "pulsar", 1, 100)));

        assertThat(ratios)
                .extracting(
                        row -> row.peer().name(),
                        row -> row.of(Measure.THROUGHPUT).median())
                .containsExactly(tuple("kafka", 2.0), tuple("pulsar", 3.0));
    }

    @Test
    void compareAPeerWithAProtocolOfItsOwnToEverySluice() {
        List<Ratios> ratios = Ratios.of(List.of(
                result("sluice", "kafka", 1, 200),
                result("sluice", "pulsar", 1, 300),
                result("pravega", "pravega", 1, 100)));

        assertThat(ratios).extracting(Ratios::protocol).containsExactly("kafka", "pulsar");
    }

    @Test
    void aFailedRoundCountsAgainstWhoFailed() {
        List<RunResult> all = new ArrayList<>();
        for (int round = 1; round <= 3; round++) {
            all.add(result("sluice", "kafka", round, 200));
            RunResult kafka = result("kafka", "kafka", round, 100);
            all.add(round == 3 ? failure(kafka) : kafka);
        }
        Ratios ratios = Ratios.of(all).getFirst();

        assertThat(ratios.of(Measure.THROUGHPUT)).isEqualTo(new Spread(2, 2, Double.POSITIVE_INFINITY, 3));
        assertThat(ratios.failures()).isEqualTo(new Failures(0, 1, 3));
        assertThat(ratios.failures().text()).isEqualTo("failed 1 of 3 rounds");
        assertThat(ratios.evidence().isEnough()).isTrue();
    }

    @Test
    void sluicesFailureCountsLikewise() {
        RunResult slow = withLatency(result(AT_A_RATE, "kafka", "kafka", 1, 500), 900);
        Ratios ratios = Ratios.of(List.of(failure(result(AT_A_RATE, "sluice", "kafka", 1, 500)), slow))
                .getFirst();

        assertThat(ratios.of(Measure.PUBLISH_P99).median()).isInfinite();
        assertThat(ratios.of(Measure.THROUGHPUT).median()).isZero();
        assertThat(ratios.of(Measure.BACKLOG_DRAIN).isPresent())
                .as("the peer has no such figure")
                .isFalse();
        assertThat(ratios.failures().text()).isEqualTo("Sluice failed 1 of 1 round");
    }

    @Test
    void aRoundThatBothFailedSaysNothing() {
        Ratios ratios = Ratios.of(
                        List.of(failure(result("sluice", "kafka", 1, 200)), failure(result("kafka", "kafka", 1, 100))))
                .getFirst();

        assertThat(ratios.of(Measure.THROUGHPUT)).isEqualTo(Spread.NONE);
        assertThat(ratios.failures()).isEqualTo(new Failures(1, 1, 1));
    }

    @Test
    void aMaximumIsTheLowerOfPublishedAndRead() {
        RunResult unread = reading(result("kafka", "kafka", 1, 871), 155);
        RunResult read = reading(result("sluice", "kafka", 1, 593), 600);

        assertThat(Measure.THROUGHPUT.of(unread)).isEqualTo(155);
        assertThat(Measure.THROUGHPUT.of(read)).isEqualTo(593);
        assertThat(Ratios.of(List.of(read, unread))
                        .getFirst()
                        .of(Measure.THROUGHPUT)
                        .median())
                .isGreaterThan(3);
    }

    @Test
    void anySystemMayBeDividedByTheOthers() {
        List<Ratios> ratios = Ratios.of(
                List.of(
                        result("sluice-2", "kafka", 1, 300),
                        result("sluice", "kafka", 1, 200),
                        result("kafka", "kafka", 1, 100)),
                "sluice-2");

        assertThat(ratios)
                .extracting(
                        row -> row.peer().name(),
                        row -> row.of(Measure.THROUGHPUT).median())
                .containsExactly(tuple("sluice", 1.5), tuple("kafka", 3.0));
    }

    @Test
    void aSystemIsComparedWithItselfWhereLoadsDifferInOneThing() {
        Workload many = new Workload("many", 1, 100, 1000, 1, 1, 1, 0, KeyDistributor.NO_KEY, 0, 0, 10);
        Workload other = new Workload("other", 1, 100, 10, 1, 1, 1, 0, KeyDistributor.NO_KEY, 0, 0, 10);
        List<SelfRatios> ratios = SelfRatios.of(List.of(
                result("kafka", "kafka", 1, 100),
                result(many, "kafka", "kafka", 1, 50),
                result(other, "kafka", "kafka", 1, 7),
                result(many, "sluice", "kafka", 1, 70)));

        assertThat(ratios).singleElement().satisfies(row -> {
            assertThat(row.dimension()).isEqualTo(Dimension.PARTITIONS);
            assertThat(List.of(row.from(), row.to())).containsExactly("1", "100");
            assertThat(row.of(Measure.THROUGHPUT).median()).isEqualTo(0.5);
        });
    }

    @Test
    void aLevelIsComparedWithTheOtherOfTheSameSystem() {
        List<SelfRatios> ratios = SelfRatios.of(List.of(
                result("sluice", "kafka", 1, 100),
                result("sluice-2", "kafka", 1, 150),
                result("kafka", "kafka", 1, 200)));

        assertThat(ratios).singleElement().satisfies(row -> {
            assertThat(row.dimension()).isEqualTo(Dimension.LEVEL);
            assertThat(List.of(row.system(), row.from(), row.to())).containsExactly("sluice", "sluice", "sluice-2");
            assertThat(row.of(Measure.THROUGHPUT).median()).isEqualTo(1.5);
        });
    }

    @Test
    void whatSeveralReadersGetIsJudged() {
        Workload several = new Workload("s", 1, 1, 1000, 3, 1, 1, 0, KeyDistributor.NO_KEY, 0, 0, 10);
        RunResult read = reading(result(several, "kafka", "kafka", 1, 500), 1_200);

        assertThat(Measure.READ.of(read)).isEqualTo(1_200);
        assertThat(Measure.THROUGHPUT.of(read)).isEqualTo(400);
        assertThat(Verdict.isDecidedBySystem(Measure.READ, several)).isTrue();
        assertThat(Measure.READ.of(reading(result("kafka", "kafka", 1, 500), 500)))
                .as("one reader's is the throughput")
                .isNaN();
    }

    @Test
    void aBacklogHasNoEndToEndLatency() {
        RunResult drain = withLatency(result(BACKLOG, "kafka", "kafka", 1, 500), 9_000);

        assertThat(Measure.END_TO_END_P99.of(drain)).isNaN();
        assertThat(Measure.PUBLISH_P99.of(drain)).isEqualTo(9_000);
    }

    @Test
    void catchingUpIsNotBeingFaster() {
        List<Ratios> ratios = Ratios.of(
                List.of(result(AT_A_RATE, "sluice", "kafka", 1, 499), result(AT_A_RATE, "kafka", "kafka", 1, 700)));

        assertThat(ratios.getFirst().of(Measure.THROUGHPUT).median()).isEqualTo(0.998);
    }

    @Test
    void areNoneWhereASideWasNotMeasured() {
        List<Ratios> ratios =
                Ratios.of(List.of(result("sluice", "kafka", 1, Double.NaN), result("kafka", "kafka", 1, 100)));

        assertThat(ratios.getFirst().of(Measure.THROUGHPUT)).isEqualTo(Spread.NONE);
        assertThat(ratios.getFirst().of(Measure.DISK_PER_BYTE).isPresent()).isFalse();
    }

    @Test
    void sayHowManyRoundsThereWereAndWhetherBothSidesWereWarm() {
        List<RunResult> warm = List.of(result("sluice", "kafka", 1, 200), result("kafka", "kafka", 1, 100));
        assertThat(Ratios.of(warm).getFirst().evidence()).isEqualTo(new Evidence(1, true));

        RunResult lessWarm = cold(result("kafka", "kafka", 1, 100)).warmedBy(new Warmth(20, 1));
        assertThat(Ratios.of(List.of(warm.getFirst(), lessWarm)).getFirst().evidence())
                .isEqualTo(new Evidence(1, false));
        assertThat(Ratios.of(List.of(warm.getFirst(), lessWarm.warmedBy(new Warmth(40, 1))))
                        .getFirst()
                        .evidence())
                .isEqualTo(new Evidence(1, true));
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetween() {
        assertThat(Spread.of(DoubleStream.of(4, 1, 2, Double.NaN, 10))).isEqualTo(new Spread(3, 1, 10, 4));
    }

    private RunResult result(String name, String protocol, int round, double perSecond) {
        return result(WORKLOAD, name, protocol, round, perSecond);
    }

    private RunResult result(Workload workload, String name, String protocol, int round, double perSecond) {
        return new RunResult(
                "suite",
                round,
                Instant.EPOCH.plusSeconds(started++),
                new Machine("cpu", 2, 1, "os", "jdk"),
                "commit",
                new Subject(name, protocol, "", Map.of()),
                workload,
                WARM,
                figures(perSecond, Double.NaN, NOTHING),
                List.of(),
                null);
    }

    private static RunResult cold(RunResult result) {
        return with(result, Warmth.NONE, result.figures(), null);
    }

    /** Records per second, of the one subscription. */
    private static RunResult reading(RunResult result, double perSecond) {
        return with(result, figures(result.figures().publishedPerSecond(), perSecond, NOTHING));
    }

    private static RunResult withLatency(RunResult result, double p99) {
        var latency = new Latency(1, p99, p99, p99, p99, p99, List.of());
        return with(result, figures(result.figures().publishedPerSecond(), Double.NaN, latency));
    }

    private static Figures figures(double perSecond, double read, Latency latency) {
        double none = Double.NaN;
        return new Figures(
                perSecond, none, read, latency, latency, none, none, none, none, -1, -1, none, 0, MachineUse.UNKNOWN);
    }

    private static RunResult failure(RunResult result) {
        return with(result, result.warmth(), result.figures(), "refused");
    }

    private static RunResult with(RunResult result, Figures figures) {
        return with(result, result.warmth(), figures, null);
    }

    private static RunResult with(RunResult result, Warmth warmth, Figures figures, @Nullable String failure) {
        return new RunResult(
                result.suite(),
                result.round(),
                result.started(),
                result.machine(),
                result.commit(),
                result.subject(),
                result.workload(),
                warmth,
                figures,
                result.series(),
                failure);
    }
}
