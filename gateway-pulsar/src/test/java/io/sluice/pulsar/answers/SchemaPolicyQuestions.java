package io.sluice.pulsar.answers;

import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Objects;
import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;

/** Policies for schemas, and what each strategy lets follow. */
final class SchemaPolicyQuestions {
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/app/";
    private static final String NO_NAMESPACE = "/admin/v2/namespaces/acme/none/";
    private static final String TOPIC = "/admin/v2/persistent/acme/app/t/";
    private static final String NO_TOPIC = "/admin/v2/persistent/acme/app/missing/";
    private static final String STRATEGY = "schemaCompatibilityStrategy";

    private static final String NAME = "{\"name\":\"a\",\"type\":\"string\"}";
    private static final String OPTIONAL = "{\"name\":\"b\",\"type\":\"string\",\"default\":\"\"}";
    private static final String REQUIRED = "{\"name\":\"c\",\"type\":\"int\"}";

    private final Questions q;

    SchemaPolicyQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        policy(STRATEGY, "PUT", "\"BACKWARD\"", "\"UNDEFINED\"", true);
        policy("schemaAutoUpdateCompatibilityStrategy", "PUT", "\"Backward\"", "\"Full\"", false);
        policy("isAllowAutoUpdateSchema", "POST", "false", "true", false);
        policy("schemaValidationEnforced", "POST", "true", "false", true);
        for (SchemaCompatibilityStrategy each : SchemaCompatibilityStrategy.values()) {
            q.put("set strategy " + each, NAMESPACE + STRATEGY, '"' + each.name() + '"');
            q.getUntil(
                    "strategy " + each, NAMESPACE + STRATEGY, a -> each.name().equals(a.body()));
            strategy(each.name(), "AVRO");
            strategy(each.name(), "JSON");
            strategy(each.name(), "KEY_VALUE");
        }
        q.put("set strategy back", NAMESPACE + STRATEGY, "\"UNDEFINED\"");
        other();
    }

    /** Asks about topics whose messages are not kept. */
    void askOfLive() {
        String live = "/admin/v2/non-persistent/acme/app/tlive/";
        String missing = "/admin/v2/non-persistent/acme/app/nolive/";
        ask(STRATEGY + " of a live topic", "PUT", live + STRATEGY, missing + STRATEGY, "\"BACKWARD\"");
        q.get(STRATEGY + " of a live topic as it is applied", live + STRATEGY + "?applied=true");
        q.delete("remove " + STRATEGY + " of a live topic", live + STRATEGY);
        q.delete("remove " + STRATEGY + " of a missing live topic", missing + STRATEGY);
        String enforced = "schemaValidationEnforced";
        ask(enforced + " of a live topic", "POST", live + enforced, missing + enforced, "true");
        q.get(enforced + " of a live topic as it is applied", live + enforced + "?applied=true");
        q.post("set " + enforced + " of a live topic back", live + enforced, "false");
    }

    private void policy(String name, String method, String value, String standard, boolean ofTopic) {
        ask(name + " of a namespace", method, NAMESPACE + name, NO_NAMESPACE + name, value);
        q.get("namespace with " + name, "/admin/v2/namespaces/acme/app");
        if (ofTopic) {
            ask(name + " of a topic", method, TOPIC + name, NO_TOPIC + name, value);
            q.get(name + " of a topic as it is applied", TOPIC + name + "?applied=true");
            if (method.equals("PUT")) {
                q.delete("remove " + name + " of a topic", TOPIC + name);
                q.delete("remove " + name + " of a missing topic", NO_TOPIC + name);
            } else {
                q.ask("set " + name + " of a topic back", method, TOPIC + name, standard);
            }
        }
        q.ask("set " + name + " back", method, NAMESPACE + name, standard);
        q.getUntil(name + " set back", NAMESPACE + name, a -> standard.contains(String.valueOf(a.body())));
    }

    private void ask(String policy, String method, String path, String missing, String value) {
        Answer unset = q.answer("GET", path, "");
        q.get(policy + " where none is set", path);
        q.ask("set " + policy, method, path, value);
        q.getUntil(policy, path, a -> !Objects.equals(a.body(), unset.body()));
        q.ask("set " + policy + " with a bad body", method, path, "no JSON");
        q.get(policy + " where it is missing", missing);
        q.ask("set " + policy + " where it is missing", method, missing, value);
    }

    /** A schema, one that has a field more that may be missing, one without the field that must be there, and again after the second. */
    private void strategy(String strategy, String type) {
        String name = (strategy + '-' + type).toLowerCase(Locale.ROOT);
        String created = "/admin/v2/persistent/acme/app/" + name;
        q.answer("PUT", created, "");
        String topic = "/admin/v2/schemas/acme/app/" + name + '/';
        String by = " by " + strategy + " as " + type;
        String first = payload(type, NAME, REQUIRED);
        String more = payload(type, NAME, REQUIRED, OPTIONAL);
        String fewer = payload(type, NAME);
        q.post("register first" + by, topic + "schema", first);
        q.post("compatibility of the same" + by, topic + "compatibility", first);
        q.post("compatibility of more" + by, topic + "compatibility", more);
        q.post("compatibility of fewer" + by, topic + "compatibility", fewer);
        q.post("compatibility of text" + by, topic + "compatibility", payload("STRING"));
        q.post("register more" + by, topic + "schema", more);
        q.post("register fewer" + by, topic + "schema", fewer);
        q.post("register other" + by, topic + "schema", payload(type, REQUIRED));
        q.post("register first again" + by, topic + "schema", first);
        q.post("version of first" + by, topic + "version", first);
        q.post("version of other" + by, topic + "version", payload(type, REQUIRED));
        q.get("schemas" + by, topic + "schemas");
        q.answer("DELETE", created, "");
    }

    private void other() {
        String topic = "/admin/v2/schemas/acme/app/described/";
        q.post("compatibility where there is no schema", topic + "compatibility", payload("AVRO", NAME));
        q.post("version where there is no schema", topic + "version", payload("AVRO", NAME));
        q.post(
                "compatibility of what is none",
                topic + "compatibility",
                new JsonObject()
                        .put("type", "AVRO")
                        .put("schema", "no schema")
                        .put("properties", new JsonObject())
                        .encode());
    }

    private static String payload(String type, String... fields) {
        String record = "{\"type\":\"record\",\"name\":\"R\",\"fields\":[" + String.join(",", fields) + "]}";
        JsonObject properties = new JsonObject();
        String schema = record;
        if (type.equals("KEY_VALUE")) {
            schema = "{\"key\":\"\",\"value\":" + record + "}";
            properties
                    .put("key.schema.name", "")
                    .put("key.schema.properties", "{}")
                    .put("key.schema.type", "STRING")
                    .put("value.schema.name", "R")
                    .put("value.schema.properties", "{}")
                    .put("value.schema.type", "AVRO")
                    .put("kv.encoding.type", "SEPARATED");
        }
        return new JsonObject()
                .put("type", type)
                .put("schema", type.equals("STRING") ? "" : schema)
                .put("properties", properties)
                .encode();
    }
}
