package io.sluice.pulsar.registry.format;

import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.Schema;
import org.jspecify.annotations.Nullable;

/** Types of schemas that the registry keeps. */
public final class SchemaTypes {
    /** The type of what names none. */
    public static final String STANDARD = AvroForm.TYPE;

    private SchemaTypes() {}

    public static List<String> names() {
        return List.of(JsonForm.TYPE, ProtobufForm.TYPE, AvroForm.TYPE);
    }

    /** @param references what it refers to, and those in turn; each after those that it needs */
    public static ParsedSchema parse(String type, String text, List<Referenced> references)
            throws InvalidSchemaException {
        return switch (type) {
            case AvroForm.TYPE -> AvroForm.parse(text, references);
            case JsonForm.TYPE -> JsonForm.parse(text, references);
            case ProtobufForm.TYPE -> ProtobufForm.parse(text, references);
            default -> throw new InvalidSchemaException("this registry has no schemas of type " + type);
        };
    }

    /** Whether a topic's schema is of a type that the registry keeps. */
    public static boolean isKept(Schema stored) {
        return switch (stored.getType()) {
            case Avro, ProtobufNative -> true;
            case External -> JsonForm.isOne(TopicSchemas.properties(stored));
            default -> false;
        };
    }

    /** Reads a topic's schema; null if it is none of the registry's types, or is not what its type says. */
    public static @Nullable ParsedSchema read(Schema stored) {
        try {
            return switch (stored.getType()) {
                case Avro -> AvroForm.read(stored.getSchemaData());
                case ProtobufNative -> ProtobufForm.read(stored.getSchemaData());
                case External -> {
                    Map<String, String> properties = TopicSchemas.properties(stored);
                    yield JsonForm.isOne(properties) ? JsonForm.read(stored.getSchemaData(), properties) : null;
                }
                default -> null;
            };
        } catch (InvalidSchemaException e) {
            return null;
        }
    }
}
