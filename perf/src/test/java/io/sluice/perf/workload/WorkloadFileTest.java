package io.sluice.perf.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.perf.workload.Workload.KeyDistributor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorkloadFileTest {
    @TempDir
    private Path folder;

    private Workload read(String yaml) throws IOException {
        return WorkloadFile.read(Files.writeString(folder.resolve("w.yaml"), yaml));
    }

    @Test
    void readsAFileAsPublished() throws Exception {
        Workload workload = read("""
                name: 1 topic / 16 partitions / 1Kb

                topics: 1
                partitionsPerTopic: 16
                keyDistributor: "KEY_ROUND_ROBIN"
                messageSize: 1024
                payloadFile: "payload/payload-1Kb.data"
                subscriptionsPerTopic: 2
                consumerPerSubscription: 3
                producersPerTopic: 4
                producerRate: 50000
                consumerBacklogSizeGB: 0
                testDurationMinutes: 15
                """);
        assertThat(workload)
                .isEqualTo(new Workload(
                        "1 topic / 16 partitions / 1Kb",
                        1,
                        16,
                        1024,
                        2,
                        3,
                        4,
                        50_000,
                        KeyDistributor.KEY_ROUND_ROBIN,
                        0,
                        60,
                        900));
    }

    @Test
    void takesSecondsToo() throws Exception {
        Workload workload = read("{messageSize: 100, warmupDurationSeconds: 3, testDurationSeconds: 5}");
        assertThat(workload.name()).isEqualTo("w");
        assertThat(workload.warmupDurationSeconds()).isEqualTo(3);
        assertThat(workload.testDurationSeconds()).isEqualTo(5);
    }

    @Test
    void batchingAndTailReadersHaveKeysOfTheirOwn() throws Exception {
        Workload workload = read("{messageSize: 100, testDurationSeconds: 5, batching: LARGE, subscriptionsPerTopic: 2,"
                + " consumerBacklogSizeGB: 1, tailSubscriptions: 1}");
        assertThat(workload.batching()).isEqualTo(Batching.LARGE);
        assertThat(workload.lateSubscriptions()).isEqualTo(1);
        assertThatThrownBy(() -> read("{messageSize: 100, testDurationSeconds: 5, batching: HUGE}"))
                .hasMessageContaining("batching is HUGE, want one of [STANDARD, LARGE, NONE]");
        assertThatThrownBy(() -> read("{messageSize: 100, testDurationSeconds: 5, tailSubscriptions: 1}"))
                .hasMessageContaining("tailSubscriptions is 1");
    }

    @Test
    void namesWhatIsWrong() {
        assertThatThrownBy(() -> read("{messageSize: 100, testDurationMinutes: 1, partitions: 3}"))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("unknown key partitions");
        assertThatThrownBy(() -> read("{messageSize: 100}")).hasMessageEndingWith("testDurationMinutes is missing");
        assertThatThrownBy(() -> read("{messageSize: a lot, testDurationMinutes: 1}"))
                .hasMessageEndingWith("messageSize is a lot, want a whole number");
        assertThatThrownBy(() -> read("{messageSize: 4, testDurationMinutes: 1}"))
                .hasMessageEndingWith("messageSize is 4, want 8 or more");
        assertThatThrownBy(() -> read("{messageSize: 100, testDurationMinutes: 1, keyDistributor: HASH}"))
                .hasMessageContaining("keyDistributor is HASH");
        assertThatThrownBy(() -> read("just text")).hasMessageEndingWith("has no keys");
        assertThatThrownBy(() -> read("{messageSize: [")).hasMessageContaining("is not YAML");
        assertThatThrownBy(() -> WorkloadFile.read(folder.resolve("none.yaml")))
                .hasMessageStartingWith("no workload file");
    }

    @Test
    void consumersShareAsSaid() throws Exception {
        assertThat(read("{messageSize: 100, testDurationSeconds: 5, sharing: KEYS}")
                        .sharing())
                .isEqualTo(Sharing.KEYS);
        assertThat(read("{messageSize: 100, testDurationSeconds: 5}").sharing()).isEqualTo(Sharing.PARTITIONS);
    }
}
