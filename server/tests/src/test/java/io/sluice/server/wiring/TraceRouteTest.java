package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TraceRouteTest {
    private final HttpClient http = HttpClient.newHttpClient();
    private Server server;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        server = Server.standalone(
                ConfigFile.parse("kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n", "test"),
                folder,
                new MemoryBudget(MemoryBudget.LEAST));
    }

    @AfterAll
    void stop() throws Exception {
        http.close();
        server.close();
    }

    @Test
    void showsEachStageOfProduceRequestsAndLogWrites() {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", server.listeners().kafka(), "linger.ms", 0);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                var trace = http.sendAsync(request("seconds=1"), BodyHandlers.ofString());
                while (!trace.isDone()) {
                    producer.send(new ProducerRecord<>("traced", new byte[100])).get();
                }
                List<String> lines = trace.get().body().lines().toList();
                assertThat(lines).anyMatch(line -> line.startsWith("io.sluice.LogWrite"));
                assertThat(lines).anyMatch(line -> line.startsWith("io.sluice.Produce"));
                // connection, container, log, container, connection
                assertThat(median(lines, "threadChanges")).isEqualTo(4);
                assertThat(median(lines, "partitions")).isEqualTo(1);
                assertThat(median(lines, "bytes")).isGreaterThan(100);
                assertThat(median(lines, "durable")).isPositive();
                assertThat(median(lines, "log")).isPositive();
            });
        }
    }

    @Test
    void recordsOnceAtATime() {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            var first = http.sendAsync(request("seconds=2"), BodyHandlers.ofString());
            var second = http.sendAsync(request("seconds=2"), BodyHandlers.ofString());
            assertThat(List.of(first.get().statusCode(), second.get().statusCode()))
                    .containsExactlyInAnyOrder(200, 409);
        });
    }

    @Test
    void refusesOtherTimes() throws Exception {
        for (String seconds : List.of("0", "31", "-1", "x", "")) {
            HttpResponse<String> answer = http.send(request("seconds=" + seconds), BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(seconds).isEqualTo(400);
            assertThat(answer.body()).contains("expected is a number from 1 to 30");
        }
    }

    private HttpRequest request(String query) {
        return HttpRequest.newBuilder(URI.create("http://" + server.listeners().http() + "/sluice/trace?" + query))
                .build();
    }

    private static long median(List<String> lines, String field) {
        return lines.stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words[0].equals(field))
                .mapToLong(words -> Long.parseLong(words[1]))
                .findFirst()
                .orElse(-1);
    }
}
