package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException.IncompatibleSchemaException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.schema.SchemaType;
import org.junit.jupiter.api.Test;

/** Schemas of other types than Avro's, those that refer to others, and those of other registries. */
class RegistryTypesTest extends RegistryTest {
    private static final String HEAD = "syntax = \"proto3\";\n";
    private static final String READING =
            "{ \"type\": \"object\", \"properties\": {\"n\": {\"type\": \"integer\"}}, \"additionalProperties\": false }";

    private static final String PROTO = HEAD + "package p;\nmessage Reading { int64 n = 1; }";

    /** The file of a message that clients have as a class. */
    private static String timestamp() throws Exception {
        try (var in = RegistryTypesTest.class.getResourceAsStream("/google/protobuf/timestamp.proto")) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @Test
    void aProtobufSchemaIsKeptAsItWasGiven() throws Exception {
        assertThat(ask("GET", "/schemas/types", "")).isEqualTo("200 [\"JSON\",\"PROTOBUF\",\"AVRO\"]");
        int id = registerBody("a-value", body("PROTOBUF", PROTO));
        gateway.restart();
        openAgain();
        JsonObject byId = get("/schemas/ids/" + id + "?fetchMaxId=true");
        assertThat(byId.getString("schema")).isEqualTo(PROTO);
        assertThat(byId.getString("schemaType")).isEqualTo("PROTOBUF");
        assertThat(byId.getInteger("maxId")).isEqualTo(id);
        String serialized = get("/schemas/ids/" + id + "?format=serialized").getString("schema");
        assertThat(FileDescriptorProto.parseFrom(Base64.getDecoder().decode(serialized))
                        .getMessageType(0)
                        .getName())
                .isEqualTo("Reading");
        assertThat(registerBody("a-value", body("PROTOBUF", serialized)))
                .as("a descriptor of it")
                .isEqualTo(id);
        String other = PROTO.replace("{ int64", "{\n  // seconds\n  int64");
        assertThat(registerBody("a-value", body("PROTOBUF", other)))
                .as("written otherwise")
                .isEqualTo(id);
        assertThat(registerBody("b-value", body("PROTOBUF", other))).isEqualTo(id);
        assertThat(ask("GET", "/subjects/a-value/versions", "")).isEqualTo("200 [1]");
    }

    @Test
    void aProtobufSchemaThatBreaksReadersIsRefused() throws Exception {
        registerBody("a-value", body("PROTOBUF", PROTO));
        String breaks = body("PROTOBUF", PROTO.replace("int64", "string"));
        assertThat(code("POST", "/subjects/a-value/versions", breaks)).isEqualTo("409 409");
        assertThat(ask("POST", "/compatibility/subjects/a-value/versions/latest?verbose=true", breaks))
                .contains("\"is_compatible\":false", "FIELD_SCALAR_KIND_CHANGED at #/Reading/1");
        assertThat(code("POST", "/subjects/a-value/versions", body("{\"type\":\"long\"}")))
                .as("another type")
                .isEqualTo("409 409");
        registerBody("a-value", body("PROTOBUF", PROTO.replace("1;", "1; string t = 2;")));
        assertThat(ask("GET", "/subjects/a-value/versions", "")).isEqualTo("200 [1,2]");
        assertThat(code("POST", "/subjects/a-value/versions", body("PROTOBUF", "message {")))
                .isEqualTo("422 42201");
    }

    @Test
    void normalizedTextIsTheSameHoweverItWasWritten() throws Exception {
        String text = HEAD + "message A { string t = 2; /* first */ int64 n = 1; }";
        assertThat(ask("POST", "/subjects/a-value/versions?normalize=true", body("PROTOBUF", text)))
                .startsWith("200");
        assertThat(get("/subjects/a-value/versions/1").getString("schema"))
                .isEqualTo(HEAD + "\nmessage A {\n  int64 n = 1;\n  string t = 2;\n}\n");
    }

    @Test
    void referencesAreResolvedThroughOthersAndKeepThem() throws Exception {
        registerBody("c", body("PROTOBUF", HEAD + "package c;\nmessage C { int64 n = 1; }"));
        int b = registerBody(
                "b", body("PROTOBUF", HEAD + "import \"c.proto\";\nmessage B { c.C c = 1; }", "c.proto=c=1"));
        String text = HEAD + "import \"b.proto\";\nimport \"google/protobuf/timestamp.proto\";\n"
                + "message A { B b = 1; google.protobuf.Timestamp at = 2; }";
        int a = registerBody("a-value", body("PROTOBUF", text, "b.proto=b=-1"));
        JsonObject byId = get("/schemas/ids/" + a);
        assertThat(byId.getString("schema")).isEqualTo(text);
        assertThat(byId.getJsonArray("references").encode())
                .isEqualTo("[{\"name\":\"b.proto\",\"subject\":\"b\",\"version\":1}]");
        assertThat(get("/subjects/a-value/versions/latest").getInteger("id")).isEqualTo(a);
        assertThat(ask("GET", "/subjects/b/versions/1/referencedby", "")).isEqualTo("200 [" + a + "]");
        assertThat(ask("GET", "/subjects/c/versions/latest/referencedby", "")).isEqualTo("200 [" + b + "]");
        assertThat(code("DELETE", "/subjects/b/versions/1", "")).isEqualTo("422 42206");
        assertThat(code("DELETE", "/subjects/c", "")).isEqualTo("422 42206");
        assertThat(code("POST", "/subjects/d/versions", body("PROTOBUF", text))).isEqualTo("422 42201");
        assertThat(ask("DELETE", "/subjects/a-value", "")).isEqualTo("200 [1]");
        assertThat(ask("GET", "/subjects/b/versions/1/referencedby", "")).isEqualTo("200 []");
        assertThat(ask("DELETE", "/subjects/b", "")).isEqualTo("200 [1]");
        assertThat(code("POST", "/subjects/d/versions", body("PROTOBUF", text, "b.proto=b=9")))
                .isEqualTo("404 40402");
    }

    @Test
    void anAvroSchemaRefersToOthers() throws Exception {
        register("address", "{\"type\":\"record\",\"name\":\"Address\",\"namespace\":\"x\",\"fields\":[]}");
        String schema =
                "{\"type\":\"record\",\"name\":\"person\",\"fields\":[{\"name\":\"at\",\"type\":\"x.Address\"}]}";
        int id = registerBody("b-value", body("AVRO", schema, "x.Address=address=1"));
        JsonObject byId = get("/schemas/ids/" + id);
        assertThat(byId.getString("schema")).isEqualTo(schema);
        assertThat(byId.getJsonArray("references")).hasSize(1);
        assertThat(byId.getString("schemaType")).isNull();
        assertThat(get("/schemas/ids/" + id + "?format=resolved").getString("schema"))
                .contains("\"name\":\"Address\"");
        assertThat(get("/subjects/b-value/versions/1").getInteger("id")).isEqualTo(id);
        assertThat(code("POST", "/subjects/b-value/versions", body(schema))).isEqualTo("422 42201");
        assertThat(code("DELETE", "/subjects/address", "")).isEqualTo("422 42206");
    }

    @Test
    void aTopicHasTheSameProtobufSchemaByBothProtocols() throws Exception {
        gateway.broker().createTopic("t", 1);
        registerBody("t-value", body("PROTOBUF", timestamp()));
        assertThat(http.client().schemas().getSchemaInfo("t").getType()).isEqualTo(SchemaType.PROTOBUF_NATIVE);
        Schema<com.google.protobuf.Timestamp> same = Schema.PROTOBUF_NATIVE(com.google.protobuf.Timestamp.class);
        try (Producer<?> producer = client.newProducer(same).topic("t").create()) {
            assertThat(producer.isConnected()).isTrue();
        }
        assertThat(http.client().schemas().getAllSchemas("t")).hasSize(1);
        assertThat(ask("GET", "/subjects/t-value/versions", "")).isEqualTo("200 [1]");
        assertThatThrownBy(() -> client.newProducer(Schema.PROTOBUF_NATIVE(com.google.protobuf.Duration.class))
                        .topic("t")
                        .create())
                .isInstanceOf(IncompatibleSchemaException.class);
    }

    @Test
    void aProtobufSchemaOfPulsarsIsASubjects() throws Exception {
        client.newProducer(Schema.PROTOBUF_NATIVE(com.google.protobuf.Timestamp.class))
                .topic("t")
                .create()
                .close();
        JsonObject latest = get("/subjects/t-value/versions/latest");
        assertThat(latest.getString("schemaType")).isEqualTo("PROTOBUF");
        assertThat(latest.getString("schema")).contains("message Timestamp {", "int64 seconds = 1;");
        assertThat(registerBody("t-value", body("PROTOBUF", timestamp() + "\nmessage Other { }")))
                .isNotEqualTo(latest.getInteger("id"));
        assertThat(ask("GET", "/subjects/t-value/versions", "")).isEqualTo("200 [1,2]");
    }

    @Test
    void aJsonSchemaIsKeptAsItWasGiven() throws Exception {
        int id = registerBody("a-value", body("JSON", READING));
        gateway.restart();
        openAgain();
        JsonObject byId = get("/schemas/ids/" + id);
        assertThat(byId.getString("schema")).isEqualTo(READING);
        assertThat(byId.getString("schemaType")).isEqualTo("JSON");
        String sorted = new JsonObject()
                .put("additionalProperties", false)
                .put("properties", new JsonObject().put("n", new JsonObject().put("type", "integer")))
                .put("type", "object")
                .encode();
        assertThat(registerBody("a-value", body("JSON", sorted)))
                .as("written otherwise")
                .isEqualTo(id);
        assertThat(ask("GET", "/subjects/a-value/versions", "")).isEqualTo("200 [1]");
        assertThat(code("POST", "/subjects/a-value/versions", body("JSON", "{\"type\":\"text\"}")))
                .isEqualTo("422 42201");
        assertThat(code("POST", "/subjects/a-value/versions", body("JSON", READING.replace("integer", "string"))))
                .isEqualTo("409 409");
        assertThat(ask(
                        "POST",
                        "/compatibility/subjects/a-value/versions?verbose=true",
                        body("JSON", READING.replace("integer", "string"))))
                .contains("TYPE_CHANGED at #/properties/n");
        registerBody("a-value", body("JSON", READING.replace("integer", "number")));
        assertThat(ask("GET", "/subjects/a-value/versions", "")).isEqualTo("200 [1,2]");
    }

    @Test
    void aJsonSchemaRefersToOthers() throws Exception {
        registerBody("unit", body("JSON", "{\"type\":\"string\"}"));
        registerBody("unit", body("JSON", "{\"type\":[\"string\",\"null\"]}"));
        String schema = "{\"properties\":{\"unit\":{\"$ref\":\"unit.json\"}}}";
        int first = registerBody("a-value", body("JSON", schema, "unit.json=unit=1"));
        int second = registerBody("a-value", body("JSON", schema, "unit.json=unit=2"));
        assertThat(second).as("of the same text").isNotEqualTo(first);
        assertThat(get("/subjects/a-value/versions/1").getInteger("id")).isEqualTo(first);
        assertThat(get("/subjects/a-value/versions/2").getInteger("id")).isEqualTo(second);
        assertThat(code("POST", "/subjects/a-value/versions", body("JSON", schema, "unit.json=unit=1")))
                .as("it is there")
                .isEqualTo("200 null");
        assertThat(code("POST", "/subjects/a-value/versions", body("JSON", schema)))
                .isEqualTo("422 42201");
        assertThat(code("DELETE", "/subjects/unit/versions/2", "")).isEqualTo("422 42206");
    }

    @Test
    void aTopicsJsonSchemaIsAnExternalOneToPulsar() throws Exception {
        gateway.broker().createTopic("t", 1);
        registerBody("t-value", body("JSON", READING));
        assertThat(http.client().schemas().getSchemaInfo("t").getType()).isEqualTo(SchemaType.EXTERNAL);
        assertThat(new String(http.client().schemas().getSchemaInfo("t").getSchema(), UTF_8))
                .isEqualTo(READING);
        assertThatThrownBy(() ->
                        client.newProducer(Schema.JSON(Place.class)).topic("t").create())
                .isInstanceOf(IncompatibleSchemaException.class);
        assertThatThrownBy(() -> client.newConsumer(Schema.AUTO_CONSUME())
                        .topic("t")
                        .subscriptionName("s")
                        .subscribe())
                .hasMessageContaining("EXTERNAL");
        try (Producer<byte[]> producer = client.newProducer().topic("t").create();
                Consumer<byte[]> consumer =
                        client.newConsumer().topic("t").subscriptionName("s").subscribe()) {
            producer.send("{}".getBytes(UTF_8));
            assertThat(new String(consumer.receive().getData(), UTF_8)).isEqualTo("{}");
        }
    }

    /** A class of a Pulsar client. */
    public static final class Place {
        public String name = "";
    }

    @Test
    void subjectsMayHaveTheNamesOfFiles() throws Exception {
        registerBody("acme%2Fcommon.proto", body("PROTOBUF", HEAD + "message C { int64 n = 1; }"));
        String text = HEAD + "import \"acme/common.proto\";\nmessage A { C c = 1; }";
        int id = registerBody("a-value", body("PROTOBUF", text, "acme/common.proto=acme/common.proto=1"));
        assertThat(ask("GET", "/subjects", "")).isEqualTo("200 [\"a-value\",\"acme/common.proto\"]");
        assertThat(ask("GET", "/subjects/acme%2Fcommon.proto/versions/1/referencedby", ""))
                .isEqualTo("200 [" + id + "]");
    }

    @Test
    void schemasAreListedByPage() throws Exception {
        registerBody("a-value", body("PROTOBUF", PROTO));
        registerBody("a-value", body("PROTOBUF", PROTO.replace("1;", "1; string t = 2;")));
        register("b", "{\"type\":\"long\"}");
        assertThat(listed("")).isEqualTo("[a-value/1, a-value/2, b/1]");
        assertThat(listed("?latestOnly=true")).isEqualTo("[a-value/2, b/1]");
        assertThat(listed("?subjectPrefix=a")).isEqualTo("[a-value/1, a-value/2]");
        assertThat(listed("?subjectPrefix=:.:b")).isEqualTo("[b/1]");
        assertThat(listed("?offset=1&limit=1")).isEqualTo("[a-value/2]");
        assertThat(ask("DELETE", "/subjects/:.:b", "")).isEqualTo("200 [1]");
        assertThat(listed("?offset=2")).isEqualTo("[]");
        assertThat(listed("?offset=2&deleted=true")).isEqualTo("[b/1]");
        assertThat(ask("GET", "/contexts", "")).isEqualTo("200 [\".\"]");
        assertThat(ask("GET", "/subjects/:.other:b/versions", "")).startsWith("422");
    }

    private String listed(String query) throws Exception {
        var answer = http.ask("GET", "/schemas" + query, "");
        return new JsonArray(answer.body())
                .stream()
                        .map(each -> (JsonObject) each)
                        .map(each -> each.getString("subject") + "/" + each.getInteger("version"))
                        .toList()
                        .toString();
    }

    @Test
    void schemasOfAnotherRegistryKeepTheirIds() throws Exception {
        register("there", "{\"type\":\"int\"}");
        String imported =
                new JsonObject(body("{\"type\":\"long\"}")).put("id", 700).encode();
        assertThat(code("POST", "/subjects/a/versions", imported)).isEqualTo("422 42205");
        assertThat(code("PUT", "/mode", "{\"mode\":\"IMPORT\"}"))
                .as("there are schemas")
                .isEqualTo("422 42205");
        assertThat(ask("PUT", "/mode/a", "{\"mode\":\"IMPORT\"}")).startsWith("200");
        assertThat(code("POST", "/subjects/a/versions", body("{\"type\":\"long\"}")))
                .as("no id")
                .isEqualTo("422 42205");
        assertThat(registerBody("a", imported)).isEqualTo(700);
        assertThat(registerBody("a", imported)).as("once more").isEqualTo(700);
        String second =
                new JsonObject(body("{\"type\":\"string\"}")).put("id", 700).encode();
        assertThat(code("POST", "/subjects/a/versions", second))
                .as("the id is another's")
                .isEqualTo("422 42205");
        String gap = new JsonObject(second).put("id", 701).put("version", 4).encode();
        assertThat(code("POST", "/subjects/a/versions", gap)).isEqualTo("422 42205");
        assertThat(registerBody("a", new JsonObject(gap).put("version", 2).encode()))
                .isEqualTo(701);
        assertThat(ask("DELETE", "/mode/a", "")).startsWith("200");
        assertThat(register("b", "{\"type\":\"double\"}")).isGreaterThan(701);
        assertThat(get("/schemas/ids/700").getString("schema")).isEqualTo("\"long\"");
    }

    @Test
    void whatHoldsForAllSubjectsGoesBackToTheStandard() throws Exception {
        assertThat(ask("PUT", "/config", "{\"compatibility\":\"FULL\"}")).startsWith("200");
        assertThat(ask("PUT", "/mode", "{\"mode\":\"READONLY\"}")).startsWith("200");
        assertThat(ask("GET", "/config/a?defaultToGlobal=true", "")).contains("FULL");
        assertThat(ask("DELETE", "/config", "")).isEqualTo("200 {\"compatibilityLevel\":\"FULL\"}");
        assertThat(ask("DELETE", "/mode", "")).isEqualTo("200 {\"mode\":\"READONLY\"}");
        assertThat(ask("GET", "/config", "")).contains("BACKWARD");
        assertThat(ask("GET", "/mode", "")).contains("READWRITE");
    }
}
