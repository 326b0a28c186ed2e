package io.sluice.perf.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.perf.machine.ThisMachine;
import io.sluice.perf.result.Warmth;
import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;
import java.util.List;
import org.junit.jupiter.api.Test;

class SuitesTest {
    private static List<Workload> workloads(String suite) {
        return Suites.named(suite).orElseThrow().workloads();
    }

    @Test
    void streamNativeVariesPartitionsAndSubscriptions() {
        assertThat(workloads("streamnative-2020"))
                .extracting(Workload::partitionsPerTopic)
                .contains(1, 100, 2_000, 5_000, 8_000, 10_000);
        assertThat(workloads("streamnative-2020"))
                .extracting(Workload::subscriptionsPerTopic)
                .contains(1, 2, 10);
    }

    @Test
    void sbkHasEverySizeWithOneAndWithTenProducers() {
        assertThat(workloads("sbk-2024"))
                .hasSize(10)
                .filteredOn(workload -> workload.producersPerTopic() == 10)
                .extracting(Workload::messageSize)
                .containsExactly(10, 100, 1_000, 10_000, 100_000);
    }

    @Test
    void pravegaComparesKeysAndNoKeysAtOneRate() {
        List<Workload> shapes = workloads("pravega-2020");
        Workload noKeys = shapes.stream()
                .filter(workload -> workload.keyDistributor() == KeyDistributor.NO_KEY)
                .findFirst()
                .orElseThrow();
        assertThat(shapes)
                .anyMatch(workload -> workload.keyDistributor() == KeyDistributor.RANDOM_NANO
                        && workload.partitionsPerTopic() == noKeys.partitionsPerTopic()
                        && workload.messageSize() == noKeys.messageSize()
                        && workload.producerRate() == noKeys.producerRate());
        assertThat(shapes).anyMatch(workload -> workload.consumerBacklogSizeGB() > 0);
    }

    @Test
    void theMixedTestHasATailReaderAndOneThatStartsBehind() {
        assertThat(workloads("streamnative-2020"))
                .filteredOn(workload -> workload.name().startsWith("mixed"))
                .singleElement()
                .satisfies(mixed -> assertThat(List.of(mixed.tailSubscriptions(), mixed.lateSubscriptions()))
                        .containsExactly(1, 1));
    }

    @Test
    void historyIsLargerThanThePageCache() {
        assertThat(workloads("history"))
                .allMatch(workload -> workload.consumerBacklogSizeGB() * 1e9 > 1.2 * ThisMachine.memoryBytes());
    }

    @Test
    void clientsBatchInThreeWaysAndAreMany() {
        assertThat(workloads("clients")).extracting(Workload::batching).contains(Batching.values());
        assertThat(workloads("clients"))
                .anyMatch(workload -> workload.producersPerTopic() >= 500 && workload.messageSize() <= 100);
    }

    @Test
    void theTargetsAreKeyedAndPairTheManyPartitionsWithAHundredAtTheSameRate() {
        List<Workload> targets = workloads("targets");
        assertThat(targets).allMatch(workload -> workload.keyDistributor() == KeyDistributor.RANDOM_NANO);
        Workload many = targets.stream()
                .filter(workload -> workload.partitionsPerTopic() == 10_000)
                .findFirst()
                .orElseThrow();
        assertThat(targets)
                .anyMatch(workload ->
                        workload.partitionsPerTopic() == 100 && workload.producerRate() == many.producerRate());
    }

    @Test
    void theCheckIsPartOfTheTargets() {
        assertThat(Suites.check().workloads()).hasSize(2).isSubsetOf(workloads("targets"));
    }

    @Test
    void aScaleChangesTimesAndBacklogsOnly() {
        Suite suite = Suites.named("pravega-2020").orElseThrow();
        Suite scaled = suite.scaled(2);
        for (int i = 0; i < suite.workloads().size(); i++) {
            Workload before = suite.workloads().get(i);
            Workload after = scaled.workloads().get(i);
            assertThat(after.testDurationSeconds()).isEqualTo(2 * before.testDurationSeconds());
            assertThat(after.consumerBacklogSizeGB()).isEqualTo(2 * before.consumerBacklogSizeGB());
            assertThat(after.producerRate()).isEqualTo(before.producerRate());
        }
    }

    @Test
    void noTimeGetsShorterThanASecond() {
        assertThat(Suites.named("targets").orElseThrow().scaled(0.001).workloads())
                .allMatch(workload -> workload.testDurationSeconds() == 1);
    }

    @Test
    void everyWorkloadIsWarmedUpForAMinuteWhateverItsScale() {
        for (Suite suite : Suites.all()) {
            assertThat(suite.scaled(0.1).workloads())
                    .allMatch(workload -> workload.warmupDurationSeconds() >= Warmth.ENOUGH_SECONDS);
        }
        assertThat(Suites.check().warmedFor(3).workloads()).allMatch(workload -> workload.warmupDurationSeconds() == 3);
    }

    @Test
    void aScaleOfNothingIsRefused() {
        assertThatThrownBy(() -> Suites.check().scaled(0)).hasMessageContaining("scale is 0");
    }

    @Test
    void namesWithinASuiteDiffer() {
        Workload workload = Shape.partitions(1).named("same");
        assertThatThrownBy(() -> new Suite("twice", "", List.of(workload, workload)))
                .hasMessageContaining("two workloads called same");
    }
}
