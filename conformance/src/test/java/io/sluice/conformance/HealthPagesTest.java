package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.steps.AgentJar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server that hangs on its disk says of itself. It still runs, listens, and holds its leases. */
class HealthPagesTest {
    private static final List<String> PAGES = List.of("/ready", "/admin/v2/brokers/health");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "io/sluice/store/cluster/PulsarMetadata#put, the metadata store has not answered for 3000 ms",
        "io/sluice/bookie/journal/OverwrittenChannel#write, the bookie has not answered for 3000 ms"
    })
    void aServerWhoseDiskHangsIsNotReadyUntilItGoesOn(String method, String reason) throws Exception {
        Path stuck = folder.resolve("stuck");
        String agent = "-javaagent:" + AgentJar.in(folder) + "=" + method + ",stuck," + stuck;
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"), "", Map.of("SLUICE_JVM_OPTS", agent))) {
            for (String page : PAGES) {
                assertThat(server.get(page)).startsWith("200 ");
            }
            Files.createFile(stuck);
            for (String page : PAGES) {
                await().atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> assertThat(server.get(page))
                                .startsWith("503 ")
                                .contains(reason)
                                .doesNotContain("\n"));
            }
            assertThat(server.get("/health")).isEqualTo("200 ok");
            Files.delete(stuck);
            for (String page : PAGES) {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> server.get(page).startsWith("200 "));
            }
        }
    }
}
