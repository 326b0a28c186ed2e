package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BalanceRoutesTest {
    private static final String CONFIG =
            "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\nstore: {containers: 3}\n";

    @TempDir
    private Path folder;

    @Test
    void showsWhatEachContainerHasToDo() throws Exception {
        try (Server server = start("balance: {checkMillis: 100}\n")) {
            Map<String, Object> settings =
                    Map.of("bootstrap.servers", server.listeners().kafka());
            try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
                await().atMost(Duration.ofSeconds(60)).until(() -> {
                    producer.send(new ProducerRecord<>("busy", new byte[10_000]));
                    JsonNode page = page(server);
                    return page.get("containers").size() == 3
                            && page.get("unevenness").asDouble() > 1.5
                            && page.findValues("bytesInPerSecond").stream().anyMatch(rate -> rate.asLong() > 1_000);
                });
            }
            assertThat(page(server).get("moves")).isEmpty();
            assertThat(page(server).findValues("loopBusy"))
                    .allMatch(busy -> busy.asDouble() >= 0 && busy.asDouble() <= 1);
        }
    }

    @Test
    void measuresNothingWhenItIsSwitchedOff() throws Exception {
        try (Server server = start("balance: {enabled: false, checkMillis: 100}\n")) {
            assertThat(page(server).get("containers")).isEmpty();
        }
    }

    private Server start(String more) throws Exception {
        return Server.standalone(ConfigFile.parse(CONFIG + more, "test"), folder, new MemoryBudget(MemoryBudget.LEAST));
    }

    private static JsonNode page(Server server) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(
                            URI.create("http://" + server.listeners().http() + "/sluice/balance"))
                    .build();
            return new ObjectMapper()
                    .readTree(client.send(request, BodyHandlers.ofString()).body());
        }
    }
}
