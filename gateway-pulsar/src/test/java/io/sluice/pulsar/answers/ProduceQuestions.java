package io.sluice.pulsar.answers;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** Messages that are published over HTTP, and what is stored of them. */
final class ProduceQuestions {
    private static final String ADMIN = "/admin/v2/persistent/acme/app/";
    private static final String TOPICS = "/topics/persistent/acme/app/";
    private static final String LIVE = "/topics/non-persistent/acme/app/";
    private static final String RECORD =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"string\"},{\"name\":\"n\",\"type\":\"int\"}]}";
    private static final String HELLO = messages(new JsonObject().put("payload", "hello"));

    private final Questions q;

    ProduceQuestions(Questions q) {
        this.q = q;
    }

    private static String messages(JsonObject... each) {
        return new JsonObject().put("messages", new JsonArray(List.of(each))).encode();
    }

    private static JsonObject payload(String payload) {
        return new JsonObject().put("payload", payload);
    }

    void ask() {
        q.answer("PUT", ADMIN + "posted", "");
        q.answer("PUT", ADMIN + "pposted/partitions", "2");
        plain();
        partitions();
        schemas();
        live();
        for (String topic : List.of("posted", "numbers", "avro", "json", "pairs")) {
            q.answer("DELETE", ADMIN + topic + "?force=true", "");
            q.answer("DELETE", "/admin/v2/schemas/acme/app/" + topic + "/schema?force=true", "");
        }
        q.answer("DELETE", ADMIN + "pposted/partitions?force=true", "");
    }

    private void plain() {
        q.post("post message", TOPICS + "posted", HELLO);
        q.post("post no messages", TOPICS + "posted", messages());
        q.post("post with a bad body", TOPICS + "posted", "no JSON");
        q.post("post without body", TOPICS + "posted", "");
        q.post("post without messages", TOPICS + "posted", "{}");
        q.post("post to a missing topic", TOPICS + "missing", HELLO);
        q.post("post to a missing namespace", "/topics/persistent/acme/none/t", HELLO);
        q.getMessage("message that was posted", examined("posted", 1));
        q.post(
                "post messages",
                TOPICS + "posted",
                new JsonObject(messages(
                                payload("one")
                                        .put("key", "k")
                                        .put("properties", new JsonObject().put("a", "b"))
                                        .put("eventTime", "5")
                                        .put("sequenceId", 3),
                                payload("two").put("disableReplication", true)))
                        .put("producerName", "me")
                        .encode());
        q.getMessage("first message that was posted", examined("posted", 2));
        q.getMessage("second message that was posted", examined("posted", 3));
    }

    private static String examined(String topic, int position) {
        return ADMIN + topic + "/examinemessage?initialPosition=earliest&messagePosition=" + position;
    }

    private void partitions() {
        String both = messages(payload("a"), payload("b"));
        q.post("post to a partition", TOPICS + "pposted/partitions/1", both);
        q.post("post to a partition by its name", TOPICS + "pposted-partition-0", both);
        q.post("post to a missing partition", TOPICS + "pposted/partitions/7", both);
        q.post("post to a partition of a partition", TOPICS + "pposted-partition-0/partitions/0", both);
        q.post("post to a partition of a topic without", TOPICS + "posted/partitions/0", HELLO);
        q.post("post to all partitions", TOPICS + "pposted", both);
    }

    private void schemas() {
        q.answer("PUT", ADMIN + "numbers", "");
        q.post("post a number", TOPICS + "numbers", of(schema("INT32", ""), payload("17")));
        q.getMessage("number that was posted", examined("numbers", 1));
        q.post(
                "post by a version",
                TOPICS + "numbers",
                new JsonObject(messages(payload("18"))).put("schemaVersion", 0).encode());
        q.post(
                "post by a missing version",
                TOPICS + "numbers",
                new JsonObject(messages(payload("18"))).put("schemaVersion", 9).encode());
        q.post("post by another schema", TOPICS + "numbers", HELLO);
        String value = new JsonObject().put("a", "x").put("n", 1).encode();
        for (String type : List.of("AVRO", "JSON")) {
            String topic = type.toLowerCase(java.util.Locale.ROOT);
            q.answer("PUT", ADMIN + topic, "");
            q.post("post as " + type, TOPICS + topic, of(schema(type, RECORD), payload(value)));
            q.getMessage(type + " that was posted", examined(topic, 1));
            q.get("schema of " + type + " that was posted", "/admin/v2/schemas/acme/app/" + topic + "/schema");
        }
        q.answer("PUT", ADMIN + "pairs", "");
        q.post(
                "post a pair",
                TOPICS + "pairs",
                new JsonObject(of(schema("JSON", RECORD), payload(value).put("key", "kk")))
                        .put("keySchema", schema("STRING", ""))
                        .encode());
        q.getMessage("pair that was posted", examined("pairs", 1));
    }

    private static String schema(String type, String definition) {
        return new JsonObject()
                .put("name", "R")
                .put("type", type)
                .put("schema", Base64.getEncoder().encodeToString(definition.getBytes(StandardCharsets.UTF_8)))
                .put("properties", new JsonObject())
                .encode();
    }

    private static String of(String schema, JsonObject message) {
        return new JsonObject(messages(message)).put("valueSchema", schema).encode();
    }

    private void live() {
        q.answer("PUT", "/admin/v2/non-persistent/acme/app/heard", "");
        q.answer("PUT", "/admin/v2/non-persistent/acme/app/pheard/partitions", "2");
        q.post("post to a live topic", LIVE + "heard", HELLO);
        q.post("post to a live partition", LIVE + "pheard/partitions/1", HELLO);
        q.post("post to a missing live topic", LIVE + "missing", HELLO);
        q.answer("DELETE", "/admin/v2/non-persistent/acme/app/heard?force=true", "");
        q.answer("DELETE", "/admin/v2/non-persistent/acme/app/pheard/partitions?force=true", "");
    }
}
