package io.sluice.pulsar.registry.jsonschema;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.sluice.pulsar.registry.jsonschema.Keywords.Bound;
import io.sluice.pulsar.registry.jsonschema.Keywords.Type;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compares two schemas by their own keywords; those that are about values of a type count where the writer's has the type. */
final class KeywordDifferences {
    private final JsonSchemaDifferences schemas;
    private final Keywords writer;
    private final Keywords reader;
    private final String path;
    private final List<String> found = new ArrayList<>();

    KeywordDifferences(JsonSchemaDifferences schemas, Keywords writer, Keywords reader, String path) {
        this.schemas = schemas;
        this.writer = writer;
        this.reader = reader;
        this.path = path;
    }

    List<String> find() throws InvalidSchemaException {
        Set<Type> types = writer.types();
        types();
        values();
        if (types.contains(Type.STRING)) {
            atMost("maxLength", "MAX_LENGTH");
            atLeast("minLength", "MIN_LENGTH");
            pattern();
        }
        if (types.contains(Type.INTEGER) || types.contains(Type.NUMBER)) {
            numbers();
        }
        if (types.contains(Type.OBJECT)) {
            atMost("maxProperties", "MAX_PROPERTIES");
            atLeast("minProperties", "MIN_PROPERTIES");
            properties();
            dependencies();
            compare("propertyNames");
            compare("unevaluatedProperties");
        }
        if (types.contains(Type.ARRAY)) {
            atMost("maxItems", "MAX_ITEMS");
            atLeast("minItems", "MIN_ITEMS");
            items();
        }
        if (!JsonSchemaDifferences.isSameCondition(writer.condition(), reader.condition())) {
            add("CONDITION_CHANGED", "", "if, then and else are others");
        }
        return found;
    }

    private void add(String kind, String at, String text) {
        found.add(kind + " at " + path + at + ": " + text);
    }

    private void compare(Located from, Located to, String at) throws InvalidSchemaException {
        found.addAll(schemas.compare(from, to, path + at));
    }

    private void compare(String keyword) throws InvalidSchemaException {
        compare(writer.under(keyword), reader.under(keyword), '/' + keyword);
    }

    private void types() {
        Set<Type> gone = EnumSet.copyOf(writer.types());
        gone.removeAll(reader.types());
        if (!gone.isEmpty()) {
            boolean isNarrower = writer.types().containsAll(reader.types());
            add(isNarrower ? "TYPE_NARROWED" : "TYPE_CHANGED", "", "no more " + gone);
        }
    }

    private void values() {
        List<JsonNode> now = reader.values();
        if (now == null) {
            return;
        }
        List<JsonNode> before = writer.values();
        if (before == null) {
            add("ENUM_ARRAY_NARROWED", "/enum", "values are listed that were not");
            return;
        }
        Set<String> known = new HashSet<>();
        now.forEach(each -> known.add(Json.normalized(each)));
        long missing = before.stream()
                .filter(each -> !known.contains(Json.normalized(each)))
                .count();
        if (missing > 0) {
            boolean isNarrower = missing < before.size();
            add(isNarrower ? "ENUM_ARRAY_NARROWED" : "ENUM_ARRAY_CHANGED", "/enum", missing + " values are gone");
        }
    }

    /** A limit that may rise or go. */
    private void atMost(String keyword, String kind) {
        BigDecimal now = reader.number(keyword);
        BigDecimal before = writer.number(keyword);
        if (now == null) {
            return;
        }
        if (before == null) {
            add(kind + "_ADDED", '/' + keyword, "there is a limit of " + now);
        } else if (before.compareTo(now) > 0) {
            add(kind + "_DECREASED", '/' + keyword, before + " became " + now);
        }
    }

    /** A limit that may fall or go; none is 0. */
    private void atLeast(String keyword, String kind) {
        BigDecimal now = reader.number(keyword);
        BigDecimal before = writer.number(keyword);
        if (now == null || now.signum() <= 0) {
            return;
        }
        if (before == null) {
            add(kind + "_ADDED", '/' + keyword, "there is a limit of " + now);
        } else if (before.compareTo(now) < 0) {
            add(kind + "_INCREASED", '/' + keyword, before + " became " + now);
        }
    }

    private void pattern() {
        String now = reader.get("pattern").asText("");
        String before = writer.get("pattern").asText("");
        if (!now.isEmpty() && !now.equals(before)) {
            add(before.isEmpty() ? "PATTERN_ADDED" : "PATTERN_CHANGED", "/pattern", "it is another");
        }
    }

    private void numbers() {
        bound("MAXIMUM", "/maximum", writer.maximum(), reader.maximum(), 1);
        bound("MINIMUM", "/minimum", writer.minimum(), reader.minimum(), -1);
        BigDecimal now = reader.number("multipleOf");
        BigDecimal before = writer.number("multipleOf");
        if (now != null && now.signum() > 0) {
            if (before == null) {
                boolean isOfAll =
                        now.compareTo(BigDecimal.ONE) == 0 && !writer.types().contains(Type.NUMBER);
                if (!isOfAll) {
                    add("MULTIPLE_OF_ADDED", "/multipleOf", "it is " + now);
                }
            } else if (before.remainder(now).signum() != 0) {
                add("MULTIPLE_OF_CHANGED", "/multipleOf", before + " became " + now);
            }
        }
    }

    /** @param narrower sign of the comparison of the old end with the new, where the range became narrower */
    private void bound(String kind, String at, @Nullable Bound before, @Nullable Bound now, int narrower) {
        if (now == null) {
            return;
        }
        if (before == null) {
            add(kind + "_ADDED", at, "it is " + now.number());
            return;
        }
        int compared = Integer.signum(before.number().compareTo(now.number()));
        if (compared == narrower || compared == 0 && now.exclusive() && !before.exclusive()) {
            add(
                    narrower > 0 ? kind + "_DECREASED" : kind + "_INCREASED",
                    at,
                    before.number() + " became " + now.number());
        }
    }

    private void properties() throws InvalidSchemaException {
        Map<String, Located> before = writer.named("properties");
        Map<String, Located> now = reader.named("properties");
        for (Map.Entry<String, Located> each : before.entrySet()) {
            String at = "/properties/" + each.getKey();
            if (now.containsKey(each.getKey())) {
                compare(each.getValue(), now.get(each.getKey()), at);
            } else {
                removed(each.getKey(), each.getValue(), at);
            }
        }
        for (Map.Entry<String, Located> each : now.entrySet()) {
            String at = "/properties/" + each.getKey();
            if (!before.containsKey(each.getKey())) {
                added(each.getKey(), each.getValue(), at);
            }
            boolean isNew = !writer.required().contains(each.getKey())
                    && reader.required().contains(each.getKey());
            if (isNew && !each.getValue().node().has("default")) {
                add(
                        before.containsKey(each.getKey())
                                ? "REQUIRED_ATTRIBUTE_ADDED"
                                : "REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL",
                        "/required/" + each.getKey(),
                        "the property has to be there, and has no default");
            }
        }
        Map<String, Located> patterns = writer.named("patternProperties");
        for (Map.Entry<String, Located> each : reader.named("patternProperties").entrySet()) {
            Located earlier = patterns.getOrDefault(each.getKey(), writer.under("additionalProperties"));
            compare(earlier, each.getValue(), "/patternProperties/" + each.getKey());
        }
        compare("additionalProperties");
    }

    private void removed(String name, Located before, String at) throws InvalidSchemaException {
        for (Located now : unnamed(reader, name)) {
            boolean isClosed = JsonSchemaDifferences.isFalse(now.node());
            if (!schemas.compare(before, now, path + at).isEmpty()) {
                add(
                        isClosed
                                ? "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL"
                                : "PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL",
                        at,
                        "the property is not taken any more");
            }
        }
    }

    private void added(String name, Located now, String at) throws InvalidSchemaException {
        List<Located> earlier = unnamed(writer, name);
        for (Located before : earlier) {
            if (schemas.compare(before, now, path + at).isEmpty()) {
                return;
            }
        }
        boolean isOpen = earlier.stream().allMatch(each -> JsonSchemaDifferences.isSilent(each.node()));
        add(
                isOpen
                        ? "PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL"
                        : "PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL",
                at,
                "what was there by that name may have been something else");
    }

    /** Schemas that hold for a property that the schema does not name: all of them. */
    private static List<Located> unnamed(Keywords schema, String name) {
        List<Located> matching = new ArrayList<>();
        schema.named("patternProperties").forEach((pattern, each) -> {
            if (matches(pattern, name)) {
                matching.add(each);
            }
        });
        return matching.isEmpty() ? List.of(schema.under("additionalProperties")) : matching;
    }

    /** In time that grows with the name: a pattern may be made to take others for ever. Those that this cannot read match nothing. */
    private static boolean matches(String pattern, String name) {
        try {
            return Pattern.compile(pattern).matcher(name).find();
        } catch (PatternSyntaxException e) {
            return false;
        }
    }

    private void dependencies() throws InvalidSchemaException {
        Map<String, Set<String>> before = writer.dependentRequired();
        for (Map.Entry<String, Set<String>> each : reader.dependentRequired().entrySet()) {
            Set<String> known = before.get(each.getKey());
            if (known == null) {
                add("DEPENDENCY_ARRAY_ADDED", "/dependencies/" + each.getKey(), "others have to be there with it");
            } else if (!known.containsAll(each.getValue())) {
                add("DEPENDENCY_ARRAY_EXTENDED", "/dependencies/" + each.getKey(), "more have to be there with it");
            }
        }
        Map<String, Located> schemasBefore = writer.dependentSchemas();
        for (Map.Entry<String, Located> each : reader.dependentSchemas().entrySet()) {
            String at = "/dependencies/" + each.getKey();
            Located known = schemasBefore.get(each.getKey());
            if (known != null) {
                compare(known, each.getValue(), at);
            } else if (!JsonSchemaDifferences.isSilent(each.getValue().node())) {
                add("DEPENDENCY_SCHEMA_ADDED", at, "a schema holds where the property is");
            }
        }
    }

    private void items() throws InvalidSchemaException {
        List<Located> before = writer.firstItems();
        List<Located> now = reader.firstItems();
        for (int i = 0; i < Math.max(before.size(), now.size()); i++) {
            Located from = i < before.size() ? before.get(i) : writer.otherItems();
            Located to = i < now.size() ? now.get(i) : reader.otherItems();
            compare(from, to, "/items/" + i);
        }
        compare(writer.otherItems(), reader.otherItems(), "/items");
        if (reader.get("uniqueItems").asBoolean(false)
                && !writer.get("uniqueItems").asBoolean(false)) {
            add("UNIQUE_ITEMS_ADDED", "/uniqueItems", "items have to differ");
        }
        contains();
        compare("unevaluatedItems");
    }

    /** Some item has to be as it says, or as many as it says. */
    private void contains() throws InvalidSchemaException {
        if (!reader.schema().node().has("contains")) {
            return;
        }
        if (!writer.schema().node().has("contains")) {
            add("CONTAINS_ADDED", "/contains", "an item has to be as it says");
            return;
        }
        compare("contains");
        atMost("maxContains", "MAX_CONTAINS");
        atLeast("minContains", "MIN_CONTAINS");
    }
}
