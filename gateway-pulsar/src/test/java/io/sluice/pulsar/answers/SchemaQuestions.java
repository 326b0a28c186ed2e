package io.sluice.pulsar.answers;

import io.vertx.core.json.JsonObject;

/** Schemas of topics. */
final class SchemaQuestions {
    private static final String SCHEMAS = "/admin/v2/schemas/acme/app";
    private static final String T = SCHEMAS + "/t/schema";
    private static final String FIRST =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"string\"}]}";
    private static final String SECOND =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"string\"},"
                    + "{\"name\":\"b\",\"type\":\"string\",\"default\":\"\"}]}";
    private static final String OTHER =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"c\",\"type\":\"int\"}]}";

    private final Questions q;

    SchemaQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        q.get("schema where there is none", T);
        q.get("schema of a version where there is none", T + "/0");
        q.get("schemas where there are none", T + "s");
        q.get("schema metadata where there is none", SCHEMAS + "/t/metadata");
        q.delete("delete schema where there is none", SCHEMAS + "/described/schema");
        q.post("register schema", T, payload("AVRO", FIRST));
        q.post("register schema again", T, payload("AVRO", FIRST));
        q.post("register compatible schema", T, payload("AVRO", SECOND));
        q.post("register incompatible schema", T, payload("AVRO", OTHER));
        q.post("register schema of another type", T, payload("STRING", ""));
        q.post("register schema of a missing type", T, payload("NOTHING", FIRST));
        q.post("register schema that is none", SCHEMAS + "/described/schema", payload("AVRO", "no schema"));
        q.post("register schema with a bad body", T, "no JSON");
        q.post("register schema without body", T, "");
        q.post("register schema of a partitioned topic", SCHEMAS + "/p/schema", payload("JSON", FIRST));
        q.post("register schema of a missing topic", SCHEMAS + "/described-only/schema", payload("AVRO", FIRST));
        q.post(
                "register schema in a missing namespace",
                "/admin/v2/schemas/acme/nowhere/t/schema",
                payload("AVRO", FIRST));
        q.get("schema", T);
        q.get("schema of a version", T + "/0");
        q.get("schema of a missing version", T + "/9");
        q.get("schema of a version that is a word", T + "/first");
        q.get("schemas", T + "s");
        q.get("schema of a partitioned topic", SCHEMAS + "/p/schema");
        q.get("schema of a partition", SCHEMAS + "/p-partition-0/schema");
        q.get("schema of a missing topic", SCHEMAS + "/missing/schema");
        q.get("schemas of a missing topic", SCHEMAS + "/missing/schemas");
        q.get("schema metadata", SCHEMAS + "/t/metadata");
        q.get("schema metadata of a missing topic", SCHEMAS + "/missing/metadata");
        q.get("schema in a missing namespace", "/admin/v2/schemas/acme/none/t/schema");
        q.get("schema of a bad name", "/admin/v2/schemas/acme/a,b/t/schema");
        q.delete("delete schema", T);
        q.get("schema after deletion", T);
        q.get("schemas after deletion", T + "s");
        q.get("schema metadata after deletion", SCHEMAS + "/t/metadata");
        q.delete("delete schema of a missing topic", SCHEMAS + "/missing/schema");
        q.post("register schema after deletion", T, payload("AVRO", OTHER));
        q.get("schema of a version before deletion", T + "/0");
        q.get("schema after one that was deleted", T);
        q.get("schemas after one that was deleted", T + "s");
        q.delete("delete schema a second time", T);
        q.delete("delete schema that is deleted", T);
        q.delete("delete schema by force", T + "?force=true");
        q.delete("delete schema by force where there is none", T + "?force=true");
        q.post("register schema after deletion by force", T, payload("AVRO", FIRST));
        q.get("schema after deletion by force", T);
    }

    private static String payload(String type, String schema) {
        return new JsonObject()
                .put("type", type)
                .put("schema", schema)
                .put("properties", new JsonObject().put("owner", "me"))
                .encode();
    }
}
