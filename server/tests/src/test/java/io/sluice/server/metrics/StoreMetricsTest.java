package io.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.wiring.Server;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreMetricsTest {
    private static final int BYTES = 100_000;

    @TempDir
    private Path folder;

    @Test
    void theFiguresAreThoseOfTheStore() throws Exception {
        Path config = folder.resolve("ports.yaml");
        Files.writeString(config, "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n");
        try (Server server = Server.standalone(
                ConfigFile.read(config), folder.resolve("data"), new MemoryBudget(MemoryBudget.LEAST))) {
            String http = server.listeners().http();
            // again where the tier took all of it before it was looked at, or the frame with it was still open
            List<String> scraped = await().until(
                            () -> {
                                produce(server.listeners().kafka());
                                return scrape(http);
                            },
                            figures -> sum(figures, "sluice_container_untiered_bytes") > BYTES
                                    && sum(figures, "sluice_container_log_bytes")
                                            > sum(figures, "sluice_container_untiered_bytes"));
            assertThat(sum(scraped, "sluice_container_appended_bytes_total")).isGreaterThan(BYTES);
            assertThat(sum(scraped, "sluice_containers_serving")).isEqualTo(2);
            assertThat(sum(scraped, "sluice_container_log_write_seconds_count")).isPositive();
            assertThat(sum(scraped, "sluice_container_append_delay_seconds")).isZero();
        }
    }

    private static void produce(String kafka) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", kafka);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>("watched", new byte[BYTES])).get(30, TimeUnit.SECONDS);
        }
    }

    private static List<String> scrape(String http) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://" + http + "/metrics"))
                    .build();
            return client.send(request, BodyHandlers.ofString()).body().lines().toList();
        }
    }

    /** Over all containers. */
    private static double sum(List<String> scraped, String metric) {
        return scraped.stream()
                .filter(line -> line.startsWith(metric + "{") || line.startsWith(metric + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
