package io.sluice.pulsar.schema;

import static org.apache.avro.SchemaCompatibility.checkReaderWriterCompatibility;
import static org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy.ALWAYS_COMPATIBLE;
import static org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy.ALWAYS_INCOMPATIBLE;
import static org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy.BACKWARD;

import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.SchemaValidationException;
import org.apache.avro.SchemaValidator;
import org.apache.avro.SchemaValidatorBuilder;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Which schema may follow which, by Pulsar's strategies: a new one is compared with the newest, with a transitive strategy with all. Avro,
 * JSON and Protobuf schemas are compared as the Avro schemas they are stored as, keys and values each for themselves, native Protobuf by the
 * name of its root message. Primitive types are compatible with themselves only.
 *
 * <p>Difference on purpose: Pulsar does not compare schemas of its older type Protobuf.
 */
final class SchemaCompatibility {
    /** Characters of a stranger's schema that are shown to him. */
    private static final int MAX_TEXT = 200;

    private static final String NEVER = "the strategy " + ALWAYS_INCOMPATIBLE + " takes no other schema";

    private SchemaCompatibility() {}

    /**
     * Null, or why producers with {@code next} cannot follow those with the others.
     *
     * @param before oldest first
     */
    static @Nullable String againstFollowing(List<Schema> before, Schema next, SchemaCompatibilityStrategy strategy) {
        if (before.isEmpty() || strategy == ALWAYS_COMPATIBLE) {
            return null;
        }
        if (isTransitive(strategy)) {
            return against(before, next, strategy);
        }
        Schema newest = before.getLast();
        return identical(newest, next) ? null : against(List.of(newest), next, strategy);
    }

    /**
     * Null, or why a consumer with {@code reader} cannot read what was written with the others. As in Pulsar it must read the newest, and
     * what the strategy wants of all where that is stricter.
     */
    static @Nullable String againstReading(List<Schema> before, Schema reader, SchemaCompatibilityStrategy strategy) {
        return switch (strategy) {
            case ALWAYS_COMPATIBLE -> null;
            case BACKWARD, FORWARD, FORWARD_TRANSITIVE, FULL -> againstFollowing(before, reader, BACKWARD);
            default -> before.isEmpty() ? null : against(before, reader, strategy);
        };
    }

    /** Null, or why {@code schema} is none. */
    static @Nullable String malformed(Schema schema) {
        return against(List.of(schema), schema, BACKWARD);
    }

    private static boolean isTransitive(SchemaCompatibilityStrategy strategy) {
        return switch (strategy) {
            case BACKWARD_TRANSITIVE, FORWARD_TRANSITIVE, FULL_TRANSITIVE -> true;
            default -> false;
        };
    }

    /** Whether both are written the same way; the properties of an Avro schema are no part of it. */
    static boolean identical(Schema a, Schema b) {
        return a.getType() == b.getType()
                && Arrays.equals(a.getSchemaData(), b.getSchemaData())
                && (SchemaPart.isAvro(a.getType()) || SchemaPart.properties(a).equals(SchemaPart.properties(b)));
    }

    /** Whether both mean the same, written the same way or not. */
    static boolean same(Schema a, Schema b) {
        boolean isNative = a.getType() == Schema.Type.ProtobufNative;
        if (a.getType() != b.getType() || !isNative && !SchemaPart.isAvro(a.getType())) {
            return identical(a, b);
        }
        try {
            return isNative
                    ? sameFiles(a.getSchemaData(), b.getSchemaData())
                    : SchemaPart.of(a).avro().equals(SchemaPart.of(b).avro());
        } catch (RuntimeException | InvalidSchemaException e) {
            // what is no schema is the same as nothing; see against()
            return false;
        }
    }

    /** Compilers differ in what they write into a descriptor of the same file. */
    private static boolean sameFiles(byte[] a, byte[] b) throws InvalidSchemaException {
        return ProtobufDescriptors.root(a)
                        .getFullName()
                        .equals(ProtobufDescriptors.root(b).getFullName())
                && ProtobufDescriptors.schema(a).same(ProtobufDescriptors.schema(b));
    }

    private static @Nullable String against(List<Schema> before, Schema next, SchemaCompatibilityStrategy strategy) {
        return againstParts(before.stream().map(SchemaPart::of).toList(), SchemaPart.of(next), strategy);
    }

    private static @Nullable String againstParts(
            List<SchemaPart> before, SchemaPart next, SchemaCompatibilityStrategy strategy) {
        for (SchemaPart each : before) {
            if (each.type() != next.type()) {
                return "the topic's schema is of type " + each.type() + ", not " + next.type();
            }
        }
        try {
            return switch (next.type()) {
                case Avro, Json, Protobuf -> againstAvro(before, next, strategy);
                case ProtobufNative -> againstRoots(before, next, strategy);
                case KeyValue -> {
                    String ofKey = againstHalves(before, next, true, strategy);
                    yield ofKey != null ? ofKey : againstHalves(before, next, false, strategy);
                }
                case External -> null;
                default -> strategy == ALWAYS_INCOMPATIBLE ? NEVER : null;
            };
        } catch (RuntimeException e) {
            // each parser has its own ways to say that it was given something else
            return "not a schema of type " + next.type() + ": " + shortened(e.getMessage());
        }
    }

    private static @Nullable String againstHalves(
            List<SchemaPart> before, SchemaPart next, boolean key, SchemaCompatibilityStrategy strategy) {
        List<SchemaPart> halves = before.stream().map(each -> each.half(key)).toList();
        return againstParts(halves, next.half(key), strategy);
    }

    private static @Nullable String againstAvro(
            List<SchemaPart> before, SchemaPart next, SchemaCompatibilityStrategy strategy) {
        SchemaValidator validator = validator(strategy);
        if (validator == null) {
            return NEVER;
        }
        org.apache.avro.Schema after = next.avro();
        for (SchemaPart each : before.reversed()) {
            org.apache.avro.Schema earlier = each.avro();
            try {
                validator.validate(after, List.of(earlier));
            } catch (SchemaValidationException e) {
                // its message is both schemas in full
                return "the schema is not compatible with "
                        + (each == before.getLast() ? "the topic's newest" : "an older one") + " (" + strategy + "): "
                        + difference(earlier, after, strategy);
            }
        }
        return null;
    }

    private static @Nullable SchemaValidator validator(SchemaCompatibilityStrategy strategy) {
        SchemaValidatorBuilder builder = new SchemaValidatorBuilder();
        return switch (strategy) {
            case BACKWARD, BACKWARD_TRANSITIVE -> builder.canReadStrategy().validateLatest();
            case FORWARD, FORWARD_TRANSITIVE -> builder.canBeReadStrategy().validateLatest();
            case FULL, FULL_TRANSITIVE -> builder.mutualReadStrategy().validateLatest();
            default -> null;
        };
    }

    private static String difference(
            org.apache.avro.Schema before, org.apache.avro.Schema after, SchemaCompatibilityStrategy strategy) {
        var reads = checkReaderWriterCompatibility(after, before);
        var isRead = checkReaderWriterCompatibility(before, after);
        var looks = switch (strategy) {
            case FORWARD, FORWARD_TRANSITIVE -> List.of(isRead);
            default -> List.of(reads, isRead);
        };
        for (var pair : looks) {
            for (var found : pair.getResult().getIncompatibilities()) {
                return shortened(found.getType() + " at " + found.getLocation() + ": " + found.getMessage());
            }
        }
        return "one cannot read what the other writes";
    }

    private static String shortened(@Nullable String text) {
        return text == null || text.length() <= MAX_TEXT ? String.valueOf(text) : text.substring(0, MAX_TEXT) + "...";
    }

    private static @Nullable String againstRoots(
            List<SchemaPart> before, SchemaPart next, SchemaCompatibilityStrategy strategy) {
        String root = ProtobufDescriptors.root(next.data()).getFullName();
        if (strategy == ALWAYS_INCOMPATIBLE) {
            return NEVER;
        }
        for (SchemaPart each : before) {
            String earlier = ProtobufDescriptors.root(each.data()).getFullName();
            if (!earlier.equals(root)) {
                return "the topic's root message is " + earlier + ", not " + root;
            }
        }
        return null;
    }
}
