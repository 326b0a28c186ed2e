package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.segment.LoopTask;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether a started server says how it is; what makes its disk slow or full is in the conformance tests. */
class ReadyTest {
    private static final List<String> PAGES = List.of("/ready", "/admin/v2/brokers/health", "/admin/v2/brokers/ready");
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private Server server;

    @BeforeEach
    void start() throws Exception {
        server = Server.standalone(
                ConfigFile.parse(
                        "{kafka: {port: 0}, pulsar: {port: 0}, http: {port: 0}, store: {containers: 3}}", "test"),
                folder,
                new MemoryBudget(512L << 20));
    }

    @AfterEach
    void stop() {
        server.close();
        client.close();
    }

    @Test
    void aServerThatIsWellSaysSoAndWritesARecordASecondAtMost() throws Exception {
        Metadata metadata = server.storage().metadata();
        for (String page : PAGES) {
            assertThat(get(page)).startsWith("200 ");
        }
        long first = version(metadata);
        long start = System.nanoTime();
        for (int n = 0; n < 200; n++) {
            assertThat(get("/ready")).isEqualTo("200 ready");
        }
        long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds() + 1;
        assertThat(version(metadata) - first).isLessThanOrEqualTo(seconds);
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(get("/ready")).isEqualTo("200 ready");
            assertThat(version(metadata)).isGreaterThan(first);
        });
        server.close();
        start();
        assertThat(get("/ready")).isEqualTo("200 ready");
    }

    private static long version(Metadata metadata) throws Exception {
        return Objects.requireNonNull(metadata.get("/sluice/health/standalone")).version();
    }

    /** As after an error that nobody caught: the leases go on being renewed. */
    @Test
    void aContainerWhoseLoopDoesNotTurnIsNotReady() throws Exception {
        var stuck = new CountDownLatch(1);
        Objects.requireNonNull(server.storage().containers().serving(1)).execute(LoopTask.of(() -> {
            try {
                stuck.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        await().atMost(SOON).untilAsserted(() -> {
            for (String page : PAGES) {
                assertThat(get(page)).startsWith("503 ").contains("container", "has not answered for 3000 ms");
            }
        });
        stuck.countDown();
        await().atMost(SOON).untilAsserted(() -> {
            for (String page : PAGES) {
                assertThat(get(page)).startsWith("200 ");
            }
        });
    }

    @Test
    void aContainerThatAnotherNodeHasTakenIsNotReady() throws Exception {
        Metadata metadata = server.storage().metadata();
        String lease = "/sluice/containers/2/lease";
        long version = Objects.requireNonNull(metadata.get(lease)).version();
        String another = "1 another " + UUID.randomUUID() + " " + (System.currentTimeMillis() + 3_600_000);
        metadata.put(lease, another.getBytes(StandardCharsets.US_ASCII), version);
        await().atMost(SOON).untilAsserted(() -> {
            for (String page : PAGES) {
                assertThat(get(page)).startsWith("503 ").contains("container 2 is not served");
            }
        });
    }

    /** Status and body, of one line. */
    private String get(String page) throws Exception {
        URI uri = URI.create("http://" + server.listeners().http() + page);
        HttpResponse<String> answer =
                client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        String said = answer.statusCode() + " " + answer.body().stripTrailing();
        assertThat(said).doesNotContain("\n");
        return said;
    }
}
