package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException.IncompatibleSchemaException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.schema.GenericRecord;
import org.apache.pulsar.client.api.schema.GenericSchema;
import org.apache.pulsar.client.api.schema.RecordSchemaBuilder;
import org.apache.pulsar.client.api.schema.SchemaBuilder;
import org.apache.pulsar.common.schema.SchemaType;
import org.junit.jupiter.api.Test;

/** Schemas by subject and id, and that a topic has the same schemas by both protocols. */
class SchemaRegistryTest extends RegistryTest {
    private static final String NAME = "{\"name\":\"name\",\"type\":\"string\"}";
    private static final String AGE = "{\"name\":\"age\",\"type\":\"int\",\"default\":0}";
    private static final String NUMBER = "{\"name\":\"number\",\"type\":\"int\"}";

    private static String record(String... fields) {
        return "{\"type\":\"record\",\"name\":\"person\",\"fields\":[" + String.join(",", fields) + "]}";
    }

    @Test
    void aSchemaHasOneIdAndASubjectVersions() throws Exception {
        int first = register("a-value", record(NAME));
        assertThat(register("a-value", record(NAME))).isEqualTo(first);
        assertThat(register("com.acme.Person", record(NAME))).isEqualTo(first);
        int second = register("a-value", record(NAME, AGE));
        assertThat(second).isNotEqualTo(first);
        gateway.restart();
        openAgain();
        assertThat(ask("GET", "/subjects", "")).isEqualTo("200 [\"a-value\",\"com.acme.Person\"]");
        assertThat(ask("GET", "/subjects/a-value/versions", "")).isEqualTo("200 [1,2]");
        var latest = new JsonObject(
                http.ask("GET", "/subjects/a-value/versions/latest", "").body());
        assertThat(latest.getInteger("id")).isEqualTo(second);
        assertThat(latest.getInteger("version")).isEqualTo(2);
        assertThat(new JsonObject(latest.getString("schema"))).isEqualTo(new JsonObject(record(NAME, AGE)));
        var byId = new JsonObject(http.ask("GET", "/schemas/ids/" + first, "").body());
        assertThat(new JsonObject(byId.getString("schema"))).isEqualTo(new JsonObject(record(NAME)));
        assertThat(new JsonArray(http.ask("GET", "/schemas/ids/" + first + "/versions", "")
                        .body()))
                .hasSize(2);
        assertThat(new JsonObject(http.ask("POST", "/subjects/a-value", body(record(NAME)))
                                .body())
                        .getInteger("version"))
                .isEqualTo(1);
    }

    @Test
    void refusalsHaveTheirCodes() throws Exception {
        assertThat(code("GET", "/subjects/none/versions", "")).isEqualTo("404 40401");
        assertThat(code("GET", "/schemas/ids/7", "")).isEqualTo("404 40403");
        assertThat(code("POST", "/subjects/a-value/versions", body("{"))).isEqualTo("422 42201");
        assertThat(code("POST", "/subjects/a-value/versions", "{\"schema\":\"{}\",\"schemaType\":\"XML\"}"))
                .isEqualTo("422 42201");
        String rules = new JsonObject(body(record(NAME)))
                .put(
                        "ruleSet",
                        new JsonObject(
                                "{\"domainRules\":[{\"name\":\"secret\",\"kind\":\"TRANSFORM\",\"type\":\"ENCRYPT\"}]}"))
                .encode();
        assertThat(code("POST", "/subjects/a-value/versions", rules)).isEqualTo("422 42210");
        assertThat(code("GET", "/subjects/a-value/versions/1", "")).isEqualTo("404 40401");
        String noRules = new JsonObject(body(record(NAME)))
                .putNull("metadata")
                .put("ruleSet", new JsonObject("{\"migrationRules\":null,\"domainRules\":[]}"))
                .encode();
        assertThat(ask("POST", "/subjects/a-value/versions", noRules)).startsWith("200");
        int id = new JsonObject(ask("GET", "/subjects/a-value/versions/1", "").substring(4)).getInteger("id");
        assertThat(ask("GET", "/schemas/ids/" + id + "?subject=:.:a-value", "")).startsWith("200");
        assertThat(code("GET", "/schemas/ids/" + id + "?subject=:.other:a-value", ""))
                .isEqualTo("404 40403");
        assertThat(code("GET", "/subjects/a-value/versions/2", "")).isEqualTo("404 40402");
        assertThat(code("GET", "/subjects/a-value/versions/0", "")).isEqualTo("422 42202");
        assertThat(code("POST", "/subjects/a-value", body(record(AGE)))).isEqualTo("404 40403");
        assertThat(code("POST", "/subjects/a-value/versions", body(record(NUMBER))))
                .isEqualTo("409 409");
        assertThat(code("GET", "/config/a-value", "")).isEqualTo("404 40408");
        assertThat(code("PUT", "/config/a-value", "{\"compatibility\":\"SOME\"}"))
                .isEqualTo("422 42203");
        for (String path : List.of("/config", "/config/a-value")) {
            assertThat(code("PUT", path, setting("overrideRuleSet", new JsonObject(rules).getJsonObject("ruleSet"))))
                    .isEqualTo("422 42210");
            assertThat(code("PUT", path, setting("alias", "other-value"))).isEqualTo("422 42205");
            assertThat(code("PUT", path, setting("normalize", true))).isEqualTo("422 42205");
        }
        assertThat(ask("GET", "/config", "")).isEqualTo("200 {\"compatibilityLevel\":\"BACKWARD\"}");
        assertThat(ask("PUT", "/config/a-value", setting("normalize", false))).startsWith("200");
        assertThat(code("POST", "/subjects/:.other:a-value/versions", body(record(NAME))))
                .isEqualTo("422 42208");
        assertThat(code("PUT", "/mode", "{\"mode\":\"SOME\"}")).isEqualTo("422 42204");
        assertThat(code("DELETE", "/subjects/a-value?permanent=true", "")).isEqualTo("404 40405");
    }

    @Test
    void pathsOfContextsAreThoseOfTheirSubjects() throws Exception {
        int id = register("a-value", record(NAME));
        for (String here : List.of("/contexts/:.:", "/contexts/%3A.%3A")) {
            assertThat(ask("GET", here + "/subjects", "")).isEqualTo("200 [\"a-value\"]");
            assertThat(ask("GET", here + "/subjects?subjectPrefix=b", "")).isEqualTo("200 []");
            assertThat(ask("GET", here + "/subjects/a-value/versions", "")).isEqualTo("200 [1]");
            assertThat(ask("POST", here + "/subjects/a-value/versions", body(record(NAME))))
                    .isEqualTo("200 {\"id\":" + id + ",\"version\":1}");
            assertThat(ask("GET", here + "/schemas/ids/" + id + "/versions", ""))
                    .isEqualTo("200 [{\"subject\":\"a-value\",\"version\":1}]");
            assertThat(ask("GET", here + "/config", "")).isEqualTo("200 {\"compatibilityLevel\":\"BACKWARD\"}");
            assertThat(code("GET", here + "/config/a-value", "")).isEqualTo("404 40408");
        }
        for (String other : List.of("/contexts/.other", "/contexts/:.other:", "/contexts/other")) {
            assertThat(ask("GET", other + "/subjects", "")).isEqualTo("200 []");
            assertThat(ask("GET", other + "/subjects?deleted=true&subjectPrefix=a", ""))
                    .isEqualTo("200 []");
            assertThat(ask("GET", other + "/schemas", "")).isEqualTo("200 []");
            assertThat(ask("GET", other + "/subjects?subjectPrefix=:*:", "")).isEqualTo("200 [\"a-value\"]");
            assertThat(code("GET", other + "/schemas/ids/" + id, "")).isEqualTo("404 40403");
            assertThat(code("POST", other + "/subjects/a-value/versions", body(record(NAME))))
                    .isEqualTo("422 42208");
            assertThat(code("POST", other + "/compatibility/subjects/a-value/versions", body(record(NAME))))
                    .isEqualTo("422 42208");
            assertThat(code("PUT", other + "/config", setting("normalize", false)))
                    .isEqualTo("422 42208");
            assertThat(code("DELETE", other + "/mode/a-value", "")).isEqualTo("422 42208");
        }
        assertThat(ask("GET", "/contexts", "")).isEqualTo("200 [\".\"]");
        for (String none : List.of(
                "/contexts/.other",
                "/contexts/.other/clusters",
                "/contexts/:.:/contexts",
                "/subjects/a-value/1",
                "/mode/a/b")) {
            assertThat(code("GET", none, "")).isEqualTo("404 404");
        }
        assertThat(code("PUT", "/contexts/:.:/subjects", "")).isEqualTo("405 405");
        assertThat(code("PUT", "/config", "{")).isEqualTo("400 400");
    }

    /** Beside a level that would be taken. */
    private static String setting(String name, Object value) {
        return new JsonObject().put("compatibility", "NONE").put(name, value).encode();
    }

    @Test
    void levelsAndModesDecide() throws Exception {
        register("a-value", record(NAME));
        String versions = "/compatibility/subjects/a-value/versions/latest";
        assertThat(ask("GET", "/config", "")).isEqualTo("200 {\"compatibilityLevel\":\"BACKWARD\"}");
        assertThat(ask("POST", versions, body(record(NAME, NUMBER)))).isEqualTo("200 {\"is_compatible\":false}");
        assertThat(ask("PUT", "/config/a-value", "{\"compatibility\":\"FORWARD\"}"))
                .startsWith("200");
        assertThat(ask("POST", versions, body(record(NAME, NUMBER)))).isEqualTo("200 {\"is_compatible\":true}");
        assertThat(ask("DELETE", "/config/a-value", "")).startsWith("200");
        assertThat(ask("PUT", "/config", "{\"compatibility\":\"NONE\"}")).startsWith("200");
        register("a-value", record(NUMBER));
        assertThat(ask("PUT", "/mode/a-value", "{\"mode\":\"READONLY\"}")).startsWith("200");
        assertThat(code("POST", "/subjects/a-value/versions", body(record(AGE))))
                .isEqualTo("422 42205");
        assertThat(ask("DELETE", "/mode/a-value", "")).startsWith("200");
        register("a-value", record(AGE));
    }

    @Test
    void deletedVersionsAreHiddenThenGone() throws Exception {
        int first = register("a-value", record(NAME));
        register("a-value", record(NAME, AGE));
        assertThat(ask("DELETE", "/subjects/a-value/versions/2", "")).isEqualTo("200 2");
        assertThat(ask("GET", "/subjects/a-value/versions", "")).isEqualTo("200 [1]");
        assertThat(ask("GET", "/subjects/a-value/versions?deleted=true", "")).isEqualTo("200 [1,2]");
        assertThat(ask("DELETE", "/subjects/a-value/versions/2?permanent=true", ""))
                .isEqualTo("200 2");
        assertThat(ask("GET", "/subjects/a-value/versions?deleted=true", "")).isEqualTo("200 [1]");
        assertThat(ask("DELETE", "/subjects/a-value", "")).isEqualTo("200 [1]");
        assertThat(ask("GET", "/subjects", "")).isEqualTo("200 []");
        assertThat(ask("GET", "/schemas/ids/" + first, "")).startsWith("200");
        register("a-value", record(NUMBER));
        assertThat(ask("GET", "/subjects/a-value/versions", "")).isEqualTo("200 [3]");
    }

    private static GenericSchema<GenericRecord> person(boolean withNumber) {
        RecordSchemaBuilder person = SchemaBuilder.record("person");
        person.field("name").type(SchemaType.STRING).required();
        if (withNumber) {
            person.field("number").type(SchemaType.INT32).required();
        }
        return Schema.generic(person.build(SchemaType.AVRO));
    }

    @Test
    void aTopicHasTheSameSchemasByBothProtocols() throws Exception {
        client.newProducer(person(false)).topic("t").create().close();
        assertThat(ask("GET", "/subjects", "")).isEqualTo("200 [\"t-value\"]");
        assertThat(ask("GET", "/subjects/t-value/versions", "")).isEqualTo("200 [1]");
        register("t-value", record(NAME, AGE));
        assertThat(http.client().schemas().getSchemaInfoWithVersion("t").getVersion())
                .isEqualTo(1);
        assertThatThrownBy(() -> client.newProducer(person(true)).topic("t").create())
                .isInstanceOf(IncompatibleSchemaException.class);
    }

    @Test
    void schemasThatWereThereBeforeTheTopicBecomeItsOwn() throws Exception {
        register("t-value", record(NAME));
        register("t-value", record(NAME, AGE));
        gateway.broker().createTopic("t", 1);
        assertThat(http.client().schemas().getAllSchemas("t")).hasSize(2);
        try (Producer<GenericRecord> same =
                client.newProducer(person(false)).topic("t").create()) {
            assertThat(same.isConnected()).isTrue();
        }
        assertThatThrownBy(() -> client.newProducer(person(true)).topic("t").create())
                .isInstanceOf(IncompatibleSchemaException.class);
        register("t-value", record(NAME, AGE, "{\"name\":\"b\",\"type\":\"string\",\"default\":\"\"}"));
        assertThat(http.client().schemas().getAllSchemas("t")).hasSize(3);
        assertThat(ask("GET", "/subjects/t-value/versions", "")).isEqualTo("200 [1,2,3]");
        gateway.broker().catalogue().delete(TopicName.ofDefault("t")).join();
        assertThat(ask("GET", "/subjects/t-value/versions", "")).isEqualTo("200 [1,2]");
    }
}
