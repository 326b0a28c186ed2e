package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.conformance.clients.KafkaSide;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Serializers of Kafka clients keep their schemas with the topic, where Pulsar's admin finds them, over a {@code kill -9}. */
class SchemaRegistryTest {
    private static final String TOPIC = "readings";
    private static final String JSON = "json-readings";
    private static final String PROTOBUF = "protobuf-readings";

    @TempDir
    private Path folder;

    @Test
    void serializersOfTwoClientsShareTheTopicsSchema() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"))) {
            for (String topic : List.of(TOPIC, JSON, PROTOBUF)) {
                new KafkaSide(server.kafka()).create(topic, 1);
            }
            ClientProgram.go("schemas", server.kafka(), server.http(), TOPIC, PROTOBUF);
            server.kill();
            server.start();
            ClientProgram.python("schemas.py", server.kafka(), server.http(), TOPIC);
            ClientProgram.python("schema_types.py", server.kafka(), server.http(), JSON, PROTOBUF);
            JsonNode schema = schema(server, TOPIC);
            assertThat(schema.path("type").asText()).isEqualTo("AVRO");
            assertThat(schema.path("version").asInt()).isEqualTo(1);
            assertThat(schema.path("data").asText()).contains("Reading", "text");
            assertThat(schema(server, JSON).path("type").asText()).isEqualTo("EXTERNAL");
            JsonNode protobuf = schema(server, PROTOBUF);
            assertThat(protobuf.path("type").asText()).isEqualTo("PROTOBUF_NATIVE");
            assertThat(protobuf.path("data").asText()).contains("conformance.Reading");
            readByTheOtherProtocol(server);
            assertThat(server.log()).doesNotContain(" ERROR ");
        }
    }

    /** Clients of each protocol read, by their own schemas, what those of the other wrote with theirs. */
    private static void readByTheOtherProtocol(SluiceServer server) throws Exception {
        SerializedRecords.read(server, TOPIC, JSON, PROTOBUF);
        List<String> both = List.of("java-both", "python-both", "go-both", "protobuf-both");
        for (String topic : both) {
            new KafkaSide(server.kafka()).create(topic, 1, Map.of("sluice.wire.format", "both"));
        }
        SerializedRecords.write(server, both.get(0));
        ClientProgram.go("wireformat", server.kafka(), server.pulsar(), server.http(), TOPIC, both.get(2), both.get(3));
        ClientProgram.python(
                "wire_format.py", server.kafka(), server.pulsar(), server.http(), TOPIC, both.get(1), both.get(3));
    }

    /** The newest, as Pulsar's admin has it. */
    private static JsonNode schema(SluiceServer server, String topic) throws Exception {
        SluiceServer.Answer answer = server.ask("GET", "/admin/v2/schemas/public/default/" + topic + "/schema", "");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return new ObjectMapper().readTree(answer.body());
    }
}
