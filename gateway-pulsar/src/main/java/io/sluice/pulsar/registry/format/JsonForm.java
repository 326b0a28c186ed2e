package io.sluice.pulsar.registry.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.pulsar.registry.jsonschema.JsonSchema;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.pulsar.common.api.proto.Schema;

/**
 * A JSON Schema. What Pulsar calls JSON is described by an Avro schema; as a topic's schema this one is an external one, which Pulsar's clients
 * do not read.
 *
 * @param references text of what it refers to, by name
 */
record JsonForm(JsonSchema schema, Map<String, String> references) implements ParsedSchema {
    static final String TYPE = "JSON";

    private static final String REFERENCES = "references";
    private static final String SCHEMA_TYPE = "schemaType";

    static JsonForm parse(String given, List<Referenced> references) throws InvalidSchemaException {
        Map<String, String> byName = new TreeMap<>();
        references.forEach(each -> byName.putIfAbsent(each.name(), each.text()));
        return new JsonForm(JsonSchema.parse(given, byName), byName);
    }

    /** Whether a topic's external schema is one of these. */
    static boolean isOne(Map<String, String> properties) {
        return TYPE.equals(properties.get(SCHEMA_TYPE));
    }

    static JsonForm read(byte[] data, Map<String, String> properties) throws InvalidSchemaException {
        List<Referenced> references = new JsonObject(properties.getOrDefault(REFERENCES, "{}"))
                .stream()
                        .map(each -> new Referenced(each.getKey(), String.valueOf(each.getValue())))
                        .toList();
        return parse(new String(data, UTF_8), references);
    }

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public String text() {
        return schema.text();
    }

    @Override
    public String normalized() {
        return schema.normalized();
    }

    @Override
    public String key() {
        return TYPE + '\n' + normalized();
    }

    @Override
    public Schema stored(String name) {
        Schema stored = new Schema().setName(name).setType(Schema.Type.External).setSchemaData(text().getBytes(UTF_8));
        stored.addProperty().setKey(SCHEMA_TYPE).setValue(TYPE);
        if (!references.isEmpty()) {
            String encoded = new JsonObject(new LinkedHashMap<>(references)).encode();
            stored.addProperty().setKey(REFERENCES).setValue(encoded);
        }
        return stored;
    }

    @Override
    public boolean standsAlone() {
        return references.isEmpty();
    }

    @Override
    public boolean same(ParsedSchema other) {
        return other instanceof JsonForm json && schema.same(json.schema);
    }

    @Override
    public List<String> differencesFrom(ParsedSchema writer) {
        try {
            return schema.differencesFrom(((JsonForm) writer).schema);
        } catch (InvalidSchemaException e) {
            return List.of(e.message());
        }
    }

    @Override
    public String in(String form) {
        return text();
    }
}
