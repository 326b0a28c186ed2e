package io.sluice.pulsar.registry.jsonschema;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.List;

/** A draft of JSON Schema. */
enum Dialect {
    DRAFT_4(SpecificationVersion.DRAFT_4, "draft-04", "id", false),
    DRAFT_6(SpecificationVersion.DRAFT_6, "draft-06", "$id", false),
    DRAFT_7(SpecificationVersion.DRAFT_7, "draft-07", "$id", false),
    DRAFT_2019(SpecificationVersion.DRAFT_2019_09, "2019-09", "$id", true),
    DRAFT_2020(SpecificationVersion.DRAFT_2020_12, "2020-12", "$id", true);

    private final SpecificationVersion version;
    private final String inName;
    private final String idKeyword;
    private final boolean hasKeywordsBesideRef;

    Dialect(SpecificationVersion version, String inName, String idKeyword, boolean hasKeywordsBesideRef) {
        this.version = version;
        this.inName = inName;
        this.idKeyword = idKeyword;
        this.hasKeywordsBesideRef = hasKeywordsBesideRef;
    }

    /** The draft that a schema names; draft 7 if it names none that is known, as in Confluent's registry. */
    static Dialect of(JsonNode schema) {
        return of(schema, DRAFT_7);
    }

    static Dialect of(JsonNode schema, Dialect otherwise) {
        String named = schema.path("$schema").asText("");
        for (Dialect each : values()) {
            if (named.contains("json-schema.org") && named.contains(each.inName)) {
                return each;
            }
        }
        return otherwise;
    }

    /** Keyword of a schema's own URI. */
    String idKeyword() {
        return idKeyword;
    }

    /** Whether keywords beside a {@code $ref} count. */
    boolean hasKeywordsBesideRef() {
        return hasKeywordsBesideRef;
    }

    /** Checks a schema by the draft's own, which comes with the library. */
    void check(JsonNode schema) throws InvalidSchemaException {
        List<Error> errors = Own.SCHEMAS.get(ordinal()).validate(schema);
        if (!errors.isEmpty()) {
            Error first = errors.getFirst();
            throw new InvalidSchemaException(first.getInstanceLocation() + ": " + first.getMessage());
        }
    }

    /** Read when the first schema is. */
    private static final class Own {
        private static final List<Schema> SCHEMAS = List.of(values()).stream()
                .map(each -> SchemaRegistry.withDefaultDialect(each.version)
                        .getSchema(SchemaLocation.of(each.version.getDialectId())))
                .toList();
    }
}
