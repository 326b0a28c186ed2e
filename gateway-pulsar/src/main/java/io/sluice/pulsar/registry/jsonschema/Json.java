package io.sluice.pulsar.registry.jsonschema;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.math.BigDecimal;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/** Reads JSON within bounds, and writes it in a form that is the same for values that are. */
final class Json {
    private static final int MAX_DEPTH = 100;
    /** Digits of a number, on each side of the point. */
    private static final int MAX_DIGITS = 400;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .maxNumberLength(MAX_DIGITS)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    private Json() {}

    static JsonNode read(String text) throws InvalidSchemaException {
        JsonNode read;
        try {
            read = MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new InvalidSchemaException(e.getOriginalMessage());
        }
        checkNumbers(read);
        return read;
    }

    /** A comparison with a number of a billion digits, or a division by it, would need them all. */
    private static void checkNumbers(JsonNode node) throws InvalidSchemaException {
        if (node.isNumber()) {
            BigDecimal number = node.decimalValue();
            if (Math.abs((long) number.scale()) > MAX_DIGITS || number.precision() > MAX_DIGITS) {
                throw new InvalidSchemaException("a number has more than " + MAX_DIGITS + " digits");
            }
        }
        for (JsonNode child : node) {
            checkNumbers(child);
        }
    }

    /** Keys of objects by their names, numbers without zeros that say nothing. */
    static String normalized(JsonNode node) {
        try {
            return MAPPER.writeValueAsString(plain(node));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e); // it was read as JSON
        }
    }

    private static Object plain(JsonNode node) {
        if (node.isObject()) {
            Map<String, Object> sorted = new TreeMap<>();
            node.properties().forEach(each -> sorted.put(each.getKey(), plain(each.getValue())));
            return sorted;
        }
        if (node.isArray()) {
            Object[] values = new Object[node.size()];
            Iterator<JsonNode> each = node.iterator();
            for (int i = 0; i < values.length; i++) {
                values[i] = plain(each.next());
            }
            return values;
        }
        return node.isNumber() ? normalized(node.decimalValue()) : node;
    }

    private static BigDecimal normalized(BigDecimal number) {
        BigDecimal plain = number.stripTrailingZeros();
        return plain.scale() < 0 ? plain.setScale(0) : plain;
    }

    /** Whether two values are the same in JSON: 1 is 1.0, and the order of keys does not count. */
    static boolean same(JsonNode a, JsonNode b) {
        return a.equals(b) || normalized(a).equals(normalized(b));
    }
}
