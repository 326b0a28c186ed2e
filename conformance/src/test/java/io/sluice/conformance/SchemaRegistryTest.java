package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.conformance.clients.KafkaSide;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Serializers of Kafka clients keep their Avro schemas with the topic, where Pulsar's admin finds them, over a {@code kill -9}. */
class SchemaRegistryTest {
    private static final String TOPIC = "readings";

    @TempDir
    private Path folder;

    @Test
    void serializersOfTwoClientsShareTheTopicsSchema() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"))) {
            new KafkaSide(server.kafka()).create(TOPIC, 1);
            ClientProgram.go("schemas", server.kafka(), server.http(), TOPIC);
            server.kill();
            server.start();
            ClientProgram.python("schemas.py", server.kafka(), server.http(), TOPIC);
            SluiceServer.Answer answer = server.ask("GET", "/admin/v2/schemas/public/default/" + TOPIC + "/schema", "");
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            JsonNode schema = new ObjectMapper().readTree(answer.body());
            assertThat(schema.path("type").asText()).isEqualTo("AVRO");
            assertThat(schema.path("version").asInt()).isEqualTo(1);
            assertThat(schema.path("data").asText()).contains("Reading", "text");
            assertThat(server.log()).doesNotContain(" ERROR ");
        }
    }
}
