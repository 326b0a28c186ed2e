package io.sluice.pulsar.registry.jsonschema;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;

/**
 * A schema with its place.
 *
 * @param node an object or a boolean
 * @param document the resource that it is in: what a reference that begins with # is about
 * @param base URI of the resource, which references are relative to
 */
record Located(JsonNode node, JsonNode document, URI base, Dialect dialect) {
    /** A schema within this one, which may begin a resource of its own. */
    Located child(JsonNode child) {
        JsonNode id = child.path(dialect.idKeyword());
        if (id.isTextual() && !id.asText().startsWith("#")) {
            try {
                return new Located(child, child, base.resolve(id.asText()), Dialect.of(child, dialect));
            } catch (IllegalArgumentException e) {
                return new Located(child, document, base, dialect); // no URI: nothing can refer to it
            }
        }
        return new Located(child, document, base, dialect);
    }

    /** A schema that is made up of some of this one's keywords. */
    Located part(JsonNode part) {
        return new Located(part, document, base, dialect);
    }
}
