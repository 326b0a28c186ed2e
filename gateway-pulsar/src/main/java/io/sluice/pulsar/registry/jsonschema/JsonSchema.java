package io.sluice.pulsar.registry.jsonschema;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A JSON Schema with those that it refers to. */
public final class JsonSchema {
    private final String text;
    private final String normalized;
    private final Map<String, String> normalizedReferences;
    private final Resources resources;

    private JsonSchema(String text, JsonNode schema, Map<String, JsonNode> references) throws InvalidSchemaException {
        this.text = text;
        this.normalized = Json.normalized(schema);
        this.normalizedReferences = new TreeMap<>();
        references.forEach((name, each) -> normalizedReferences.put(name, Json.normalized(each)));
        this.resources = new Resources(schema, references);
    }

    /**
     * Reads a schema, and checks it by that of its draft.
     *
     * @param references text by the name that the schema has for each: a URI, relative or not
     */
    public static JsonSchema parse(String text, Map<String, String> references) throws InvalidSchemaException {
        JsonNode schema = Json.read(text);
        if (!schema.isObject() && !schema.isBoolean()) {
            throw new InvalidSchemaException("a schema is an object or a boolean");
        }
        if (schema.isObject()) {
            Dialect.of(schema).check(schema);
        }
        Map<String, JsonNode> others = new HashMap<>();
        for (Map.Entry<String, String> each : references.entrySet()) {
            others.put(each.getKey(), Json.read(each.getValue()));
        }
        return new JsonSchema(text, schema, others);
    }

    /** As it was given. */
    public String text() {
        return text;
    }

    /** The same text for schemas that are the same but for the order of keys and the way that numbers are written. */
    public String normalized() {
        return normalized;
    }

    /** Whether both are the same, with what they refer to. */
    public boolean same(JsonSchema other) {
        return normalized.equals(other.normalized) && normalizedReferences.equals(other.normalizedReferences);
    }

    /**
     * Reasons why readers with this schema do not take what was written with the other; empty if they do.
     *
     * @throws InvalidSchemaException if it takes more than the bounds to tell
     */
    public List<String> differencesFrom(JsonSchema writer) throws InvalidSchemaException {
        return JsonSchemaDifferences.between(writer.resources, resources);
    }
}
