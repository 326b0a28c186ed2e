package io.sluice.pulsar.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.avro.SchemaCompatibility.checkReaderWriterCompatibility;

import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.avro.NameValidator;
import org.apache.avro.SchemaValidationException;
import org.apache.avro.SchemaValidator;
import org.apache.avro.SchemaValidatorBuilder;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.api.proto.Schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Which schema may follow which, by Pulsar's default strategy {@code FULL}: what a producer brings must read what was written
 * with the newest schema and be read by it; what a consumer brings must read it. Avro, JSON and Protobuf schemas are
 * compared as the Avro schemas they are stored as, keys and values each for themselves, native Protobuf by the name of its root
 * message. Primitive types are compatible with themselves only.
 */
final class SchemaCompatibility {
    /** Characters of a stranger's schema that are shown to him. */
    private static final int MAX_TEXT = 200;

    private static final SchemaValidator BOTH_WAYS =
            new SchemaValidatorBuilder().mutualReadStrategy().validateLatest();
    private static final SchemaValidator READS =
            new SchemaValidatorBuilder().canReadStrategy().validateLatest();

    private SchemaCompatibility() {}

    /** Null, or why producers with {@code next} cannot follow those with {@code newest}. */
    static @Nullable String againstFollowing(Schema newest, Schema next) {
        return against(Part.of(newest), Part.of(next), BOTH_WAYS);
    }

    /** Null, or why a consumer with {@code reader} cannot read what was written with {@code newest}. */
    static @Nullable String againstReading(Schema newest, Schema reader) {
        return against(Part.of(newest), Part.of(reader), READS);
    }

    /** Null, or why {@code schema} is none. */
    static @Nullable String malformed(Schema schema) {
        return against(Part.of(schema), Part.of(schema), READS);
    }

    /** Whether both are written the same way; the properties of an Avro schema are no part of it. */
    static boolean identical(Schema a, Schema b) {
        return a.getType() == b.getType()
                && Arrays.equals(a.getSchemaData(), b.getSchemaData())
                && (isAvro(a.getType()) || TopicSchemas.properties(a).equals(TopicSchemas.properties(b)));
    }

    /** Whether both mean the same, written the same way or not. */
    static boolean same(Schema a, Schema b) {
        if (a.getType() != b.getType() || !isAvro(a.getType())) {
            return identical(a, b);
        }
        try {
            return parse(a.getSchemaData()).equals(parse(b.getSchemaData()));
        } catch (RuntimeException e) {
            // what is no schema is the same as nothing; see against()
            return false;
        }
    }

    private static boolean isAvro(Type type) {
        return type == Type.Avro || type == Type.Json || type == Type.Protobuf;
    }

    private static org.apache.avro.Schema parse(byte[] data) {
        // names as Java and Protobuf make them, nested classes for one, are not all Avro's
        return new org.apache.avro.Schema.Parser(NameValidator.NO_VALIDATION)
                .setValidateDefaults(false)
                .parse(new String(data, UTF_8));
    }

    /** A schema, or the key's or the value's half of one. */
    private record Part(Type type, byte[] data, Map<String, String> properties) {
        static Part of(Schema schema) {
            return new Part(schema.getType(), schema.getSchemaData(), TopicSchemas.properties(schema));
        }

        /** Key or value part of a schema whose data is {@code keyLength u32, key, valueLength u32, value}. */
        Part half(boolean key) {
            ByteBuffer in = ByteBuffer.wrap(data);
            byte[] first = bytes(in);
            Type halfType = typeNamed(properties.get(key ? "key.schema.type" : "value.schema.type"));
            return new Part(halfType, key ? first : bytes(in), Map.of());
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

    private static @Nullable String against(Part newest, Part next, SchemaValidator validator) {
        if (newest.type() != next.type()) {
            return "the topic's schema is of type " + newest.type() + ", not " + next.type();
        }
        try {
            return switch (next.type()) {
                case Avro, Json, Protobuf -> againstAvro(newest, next, validator);
                case ProtobufNative -> againstRoot(root(newest), root(next));
                case KeyValue -> {
                    String ofKey = against(newest.half(true), next.half(true), validator);
                    yield ofKey != null ? ofKey : against(newest.half(false), next.half(false), validator);
                }
                case External -> Arrays.equals(newest.data(), next.data()) ? null : "an external schema cannot change";
                default -> null;
            };
        } catch (RuntimeException e) {
            // each parser has its own ways to say that it was given something else
            return "not a schema of type " + next.type() + ": " + shortened(e.getMessage());
        }
    }

    private static @Nullable String againstAvro(Part newest, Part next, SchemaValidator validator) {
        org.apache.avro.Schema after = parse(next.data());
        org.apache.avro.Schema before = parse(newest.data());
        try {
            validator.validate(after, List.of(before));
            return null;
        } catch (SchemaValidationException e) {
            // its message is both schemas in full
            return "the schema is not compatible with the topic's newest: " + difference(before, after);
        }
    }

    private static String difference(org.apache.avro.Schema before, org.apache.avro.Schema after) {
        for (var pair :
                List.of(checkReaderWriterCompatibility(after, before), checkReaderWriterCompatibility(before, after))) {
            for (var found : pair.getResult().getIncompatibilities()) {
                return shortened(found.getType() + " at " + found.getLocation() + ": " + found.getMessage());
            }
        }
        return "one cannot read what the other writes";
    }

    private static String shortened(@Nullable String text) {
        return text == null || text.length() <= MAX_TEXT ? String.valueOf(text) : text.substring(0, MAX_TEXT) + "...";
    }

    private static @Nullable String againstRoot(String newest, String next) {
        return newest.equals(next) ? null : "the topic's root message is " + newest + ", not " + next;
    }

    private static String root(Part schema) {
        return new JsonObject(new String(schema.data(), UTF_8)).getString("rootMessageTypeName", "");
    }
}
