package io.sluice.pulsar.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.avro.NameValidator;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.api.proto.Schema.Type;
import org.jspecify.annotations.Nullable;

/** A schema, or the key's or the value's half of one. */
record SchemaPart(Type type, byte[] data, Map<String, String> properties) {
    static SchemaPart of(Schema schema) {
        return new SchemaPart(schema.getType(), schema.getSchemaData(), properties(schema));
    }

    /** The schema's own properties. */
    static Map<String, String> properties(Schema schema) {
        Map<String, String> p = new LinkedHashMap<>();
        for (int i = 0; i < schema.getPropertiesCount(); i++) {
            p.put(schema.getPropertyAt(i).getKey(), schema.getPropertyAt(i).getValue());
        }
        return p;
    }

    /** Whether schemas of the type are stored as Avro schemas. */
    static boolean isAvro(Type type) {
        return type == Type.Avro || type == Type.Json || type == Type.Protobuf;
    }

    org.apache.avro.Schema avro() {
        // names as Java and Protobuf make them, nested classes for one, are not all Avro's
        return new org.apache.avro.Schema.Parser(NameValidator.NO_VALIDATION)
                .setValidateDefaults(false)
                .parse(new String(data, UTF_8));
    }

    /** Key or value part of a schema whose data is {@code keyLength u32, key, valueLength u32, value}. */
    SchemaPart half(boolean key) {
        ByteBuffer in = ByteBuffer.wrap(data);
        byte[] first = bytes(in);
        Type halfType = typeNamed(properties.get(key ? "key.schema.type" : "value.schema.type"));
        return new SchemaPart(halfType, key ? first : bytes(in), Map.of());
    }

    private static byte[] bytes(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IllegalArgumentException("a key-value schema that ends too early");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    /** By the name clients use: {@code LOCAL_DATE} for {@code LocalDate}. */
    private static Type typeNamed(@Nullable String name) {
        String plain = name == null ? "" : name.replace("_", "");
        for (Type type : Type.values()) {
            if (type.name().equalsIgnoreCase(plain)) {
                return type;
            }
        }
        return plain.equalsIgnoreCase("BOOLEAN") ? Type.Bool : Type.None;
    }
}
