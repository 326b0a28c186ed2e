package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A gateway whose schema registry is asked over HTTP. */
abstract class RegistryTest extends ClientTest {
    protected TestAdmin http;

    @BeforeEach
    void openAdmin() throws Exception {
        http = new TestAdmin(gateway);
    }

    @AfterEach
    void closeAdmin() throws Exception {
        http.close();
    }

    protected void openAgain() throws Exception {
        http.close();
        http = new TestAdmin(gateway);
    }

    protected static String body(String schema) {
        return new JsonObject().put("schema", schema).encode();
    }

    /** Of a type, with references, each {@code name=subject=version}. */
    protected static String body(String type, String schema, String... references) {
        JsonArray named = new JsonArray();
        for (String each : references) {
            String[] parts = each.split("=");
            named.add(new JsonObject()
                    .put("name", parts[0])
                    .put("subject", parts[1])
                    .put("version", Integer.parseInt(parts[2])));
        }
        return new JsonObject()
                .put("schemaType", type)
                .put("schema", schema)
                .put("references", named)
                .encode();
    }

    /** Status and body. */
    protected String ask(String method, String path, String body) throws Exception {
        var answer = http.ask(method, path, body);
        return answer.statusCode() + " " + answer.body();
    }

    protected JsonObject get(String path) throws Exception {
        var answer = http.ask("GET", path, "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return new JsonObject(answer.body());
    }

    protected int register(String subject, String schema) throws Exception {
        return registerBody(subject, body(schema));
    }

    protected int registerBody(String subject, String body) throws Exception {
        var answer = http.ask("POST", "/subjects/" + subject + "/versions", body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return new JsonObject(answer.body()).getInteger("id");
    }

    /** Status and error. */
    protected String code(String method, String path, String body) throws Exception {
        var answer = http.ask(method, path, body);
        return answer.statusCode() + " " + new JsonObject(answer.body()).getInteger("error_code");
    }
}
