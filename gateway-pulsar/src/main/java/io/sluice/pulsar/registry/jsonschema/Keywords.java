package io.sluice.pulsar.registry.jsonschema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A schema's own keywords, each draft's in one form. Nothing here looks at what combines schemas. */
record Keywords(Located schema) {
    /** Types of values; what is an integer is a number, too. */
    enum Type {
        NULL,
        BOOLEAN,
        OBJECT,
        ARRAY,
        STRING,
        INTEGER,
        NUMBER
    }

    /**
     * An end of a range of numbers.
     *
     * @param exclusive whether the number itself is outside
     */
    record Bound(BigDecimal number, boolean exclusive) {}

    JsonNode get(String keyword) {
        return schema.node().path(keyword);
    }

    /** A schema that a keyword has; that which takes everything if there is none. */
    Located under(String keyword) {
        JsonNode node = get(keyword);
        return node.isObject() || node.isBoolean() ? schema.child(node) : schema.part(BooleanNode.TRUE);
    }

    /** Schemas by name. */
    Map<String, Located> named(String keyword) {
        Map<String, Located> named = new LinkedHashMap<>();
        get(keyword).properties().forEach(each -> {
            if (each.getValue().isObject() || each.getValue().isBoolean()) {
                named.put(each.getKey(), schema.child(each.getValue()));
            }
        });
        return named;
    }

    /** Types that values have: those it names, or those of the values that it lists, or all. */
    Set<Type> types() {
        JsonNode type = get("type");
        Set<Type> types = EnumSet.noneOf(Type.class);
        if (type.isTextual()) {
            add(type.asText(), types);
        }
        type.forEach(each -> add(each.asText(), types));
        List<JsonNode> values = values();
        if (types.isEmpty() && values != null) {
            values.forEach(each -> types.add(typeOf(each)));
        }
        return types.isEmpty() ? EnumSet.allOf(Type.class) : types;
    }

    private static void add(String name, Set<Type> types) {
        for (Type each : Type.values()) {
            if (each.name().equalsIgnoreCase(name)) {
                types.add(each);
            }
        }
        if (types.contains(Type.NUMBER)) {
            types.add(Type.INTEGER);
        }
    }

    private static Type typeOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> Type.OBJECT;
            case ARRAY -> Type.ARRAY;
            case STRING -> Type.STRING;
            case BOOLEAN -> Type.BOOLEAN;
            case NUMBER -> value.decimalValue().stripTrailingZeros().scale() <= 0 ? Type.INTEGER : Type.NUMBER;
            default -> Type.NULL;
        };
    }

    /** Values that it lists; null if it lists none. */
    @Nullable
    List<JsonNode> values() {
        if (schema.node().has("const")) {
            return List.of(get("const"));
        }
        if (!get("enum").isArray()) {
            return null;
        }
        List<JsonNode> values = new ArrayList<>();
        get("enum").forEach(values::add);
        return values;
    }

    /** A number; null if there is none. */
    @Nullable
    BigDecimal number(String keyword) {
        return get(keyword).isNumber() ? get(keyword).decimalValue() : null;
    }

    @Nullable
    Bound maximum() {
        return bound("maximum", "exclusiveMaximum", -1);
    }

    @Nullable
    Bound minimum() {
        return bound("minimum", "exclusiveMinimum", 1);
    }

    /** The narrower of the two keywords; in draft 4 the second says of the first that it is exclusive. */
    private @Nullable Bound bound(String inclusive, String exclusive, int narrower) {
        BigDecimal in = number(inclusive);
        BigDecimal ex = number(exclusive);
        if (in != null && (ex == null || Integer.signum(in.compareTo(ex)) == narrower)) {
            return new Bound(in, get(exclusive).asBoolean(false));
        }
        return ex == null ? null : new Bound(ex, true);
    }

    Set<String> required() {
        Set<String> required = new HashSet<>();
        get("required").forEach(each -> required.add(each.asText()));
        return required;
    }

    /** Schemas of the first items of an array. */
    List<Located> firstItems() {
        List<Located> first = new ArrayList<>();
        JsonNode list = get("prefixItems").isArray() ? get("prefixItems") : get("items");
        if (list.isArray()) {
            list.forEach(each -> first.add(schema.child(each)));
        }
        return first;
    }

    /** Schema of the items after those. */
    Located otherItems() {
        JsonNode items = get("items");
        return items.isObject() || items.isBoolean() ? under("items") : under("additionalItems");
    }

    /** Names of properties that have to be there where one is. */
    Map<String, Set<String>> dependentRequired() {
        Map<String, Set<String>> dependent = new LinkedHashMap<>();
        for (String keyword : List.of("dependencies", "dependentRequired")) {
            get(keyword).properties().forEach(each -> {
                if (each.getValue().isArray()) {
                    Set<String> names = new HashSet<>();
                    each.getValue().forEach(name -> names.add(name.asText()));
                    dependent.put(each.getKey(), names);
                }
            });
        }
        return dependent;
    }

    /** Schemas that hold where a property is. */
    Map<String, Located> dependentSchemas() {
        Map<String, Located> dependent = new LinkedHashMap<>(named("dependencies"));
        dependent.putAll(named("dependentSchemas"));
        return dependent;
    }

    /** The keywords of a condition alone; null if there is none. */
    @Nullable
    JsonNode condition() {
        if (!schema.node().has("if")) {
            return null;
        }
        var condition = JsonNodeFactory.instance.objectNode();
        for (String keyword : List.of("if", "then", "else")) {
            if (schema.node().has(keyword)) {
                condition.set(keyword, get(keyword));
            }
        }
        return condition;
    }
}
