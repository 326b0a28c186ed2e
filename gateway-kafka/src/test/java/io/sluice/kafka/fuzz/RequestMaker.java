package io.sluice.kafka.fuzz;

import io.sluice.testing.fuzz.FuzzBytes;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/** Writes valid requests of any API and version by walking Kafka's schema of it; the fields' values come by their names. */
final class RequestMaker {
    private static final int RARELY = 24;

    private final Random random;
    private final FieldValues values;
    private final BatchMaker batches;

    RequestMaker(Random random, Known known) {
        this.random = random;
        this.values = new FieldValues(random, known);
        this.batches = new BatchMaker(random, known);
    }

    /** A whole frame without its length. */
    FuzzBytes request(ApiKeys api, short version, int correlation) {
        FuzzBytes out = new FuzzBytes();
        short headerVersion = api.requestHeaderVersion(version);
        out.number(2, api.id).number(2, version).number(4, correlation);
        if (headerVersion >= 1) {
            string(out, "fuzz", false);
        }
        if (headerVersion >= 2) {
            tags(
                    out,
                    (TaggedFields)
                            RequestHeaderData.SCHEMAS[2].get(RequestHeaderData.SCHEMAS[2].numFields() - 1).def.type,
                    "");
        }
        values.begin(api, version);
        schema(out, ApiMessageType.fromApiKey(api.id).requestSchemas()[version], "");
        return out;
    }

    private void schema(FuzzBytes out, Schema schema, String parent) {
        out.markPiece(out.size());
        for (BoundField field : schema.fields()) {
            field(out, field.def, parent);
        }
    }

    private void field(FuzzBytes out, Field field, String parent) {
        value(out, field.type, field.name, parent);
    }

    private void value(FuzzBytes out, Type type, String name, String parent) {
        boolean compact = type.toString().startsWith("COMPACT_");
        if (type instanceof Schema nested) {
            boolean absent = nested.isNullable() && random.nextBoolean();
            if (nested.isNullable()) {
                out.number(1, absent ? -1 : 1);
            }
            if (!absent) {
                schema(out, nested, name);
            }
        } else if (type instanceof TaggedFields tagged) {
            tags(out, tagged, parent);
        } else if (type.isArray()) {
            array(out, type, name, parent);
        } else if (type.toString().endsWith("RECORDS")) {
            bytes(out, batches.records(), compact);
        } else if (type.toString().endsWith("STRING")) {
            String text = values.text(name, parent);
            if (text == null && type.isNullable()) {
                nothing(out, compact, 2);
            } else {
                string(out, text == null ? "" : text, compact);
            }
        } else if (type.toString().endsWith("BYTES")) {
            bytes(out, values.bytes(name), compact);
        } else if (type == Type.UUID) {
            Uuid id = values.id(name);
            out.number(8, id.getMostSignificantBits()).number(8, id.getLeastSignificantBits());
        } else {
            out.number(width(type), values.number(name, parent));
        }
    }

    private static int width(Type type) {
        return switch (type.toString()) {
            case "BOOLEAN", "INT8" -> 1;
            case "INT16", "UINT16" -> 2;
            case "INT32", "UINT32" -> 4;
            case "INT64", "FLOAT64" -> 8;
            default -> throw new IllegalStateException("no such type: " + type);
        };
    }

    private void array(FuzzBytes out, Type type, String name, String parent) {
        // "CompactArrayOf" is an ArrayOf in all but its length.
        boolean compact = type.getClass().getSimpleName().startsWith("Compact");
        int count = values.count(name, parent);
        if (count < 0 && type.isNullable()) {
            nothing(out, compact, 4);
            return;
        }
        int elements = Math.max(0, count);
        if (compact) {
            out.varint(elements + 1L);
        } else {
            out.number(4, elements);
        }
        Type element = type.arrayElementType().orElseThrow();
        for (int i = 0; i < elements; i++) {
            out.markPiece(out.size());
            values.element(i);
            value(out, element, name, parent);
        }
    }

    private static void nothing(FuzzBytes out, boolean compact, int width) {
        if (compact) {
            out.varint(0);
        } else {
            out.number(width, -1);
        }
    }

    private static void string(FuzzBytes out, String text, boolean compact) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (compact) {
            out.varint(utf8.length + 1L);
        } else {
            out.number(2, utf8.length);
        }
        out.raw(utf8);
    }

    private static void bytes(FuzzBytes out, FuzzBytes content, boolean compact) {
        if (compact) {
            out.varint(content.size() + 1L);
        } else {
            out.number(4, content.size());
        }
        out.append(content);
    }

    /** Most clients send none; those that are defined, and now and then one that is not. */
    private void tags(FuzzBytes out, TaggedFields tagged, String parent) {
        boolean defined = random.nextInt(4) == 0;
        boolean unknown = random.nextInt(RARELY) == 0;
        out.varint((defined ? tagged.fields().size() : 0) + (unknown ? 1 : 0));
        if (defined) {
            tagged.fields().forEach((tag, field) -> {
                FuzzBytes content = new FuzzBytes();
                field(content, field, parent);
                out.varint(tag).varint(content.size()).append(content);
            });
        }
        if (unknown) {
            byte[] content = new byte[random.nextInt(20)];
            random.nextBytes(content);
            out.varint(100 + random.nextInt(1000)).varint(content.length).raw(content);
        }
    }
}
