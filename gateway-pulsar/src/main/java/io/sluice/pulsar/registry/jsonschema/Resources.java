package io.sluice.pulsar.registry.jsonschema;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A schema with those that it refers to, by their URIs. */
final class Resources {
    /** Base of a document that has no URI of its own. */
    private static final String UNNAMED = "registry:///";

    private static final List<String> OF_ONE = List.of(
            "additionalItems",
            "additionalProperties",
            "contains",
            "else",
            "if",
            "not",
            "propertyNames",
            "then",
            "unevaluatedItems",
            "unevaluatedProperties");
    private static final List<String> OF_MANY = List.of("allOf", "anyOf", "oneOf", "prefixItems");
    private static final List<String> BY_NAME =
            List.of("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties");

    private final Map<String, Located> byUri = new HashMap<>();
    private final List<Located> references = new ArrayList<>();
    private final Located root;

    /** @param others text by name */
    Resources(JsonNode schema, Map<String, JsonNode> others) throws InvalidSchemaException {
        this.root = add(schema, UNNAMED + "schema");
        for (Map.Entry<String, JsonNode> each : others.entrySet()) {
            URI name = uri(each.getKey());
            Located located = add(
                    each.getValue(),
                    name == null ? UNNAMED : URI.create(UNNAMED).resolve(name).toString());
            byUri.putIfAbsent(each.getKey(), located);
        }
        for (Located each : references) {
            target(each); // what is not there is found now
        }
    }

    Located root() {
        return root;
    }

    private Located add(JsonNode document, String retrieved) {
        Dialect dialect = Dialect.of(document);
        Located at = new Located(document, document, URI.create(retrieved), dialect).child(document);
        byUri.putIfAbsent(retrieved, at);
        List<Located> open = new ArrayList<>(List.of(at));
        while (!open.isEmpty()) {
            Located next = open.removeLast();
            index(next);
            addChildren(next, open);
        }
        return at;
    }

    private void index(Located schema) {
        JsonNode node = schema.node();
        if (node == schema.document()) {
            byUri.putIfAbsent(withoutFragment(schema.base()), schema);
        }
        for (String keyword : List.of("$anchor", "$dynamicAnchor")) {
            JsonNode anchor = node.path(keyword);
            if (anchor.isTextual()) {
                byUri.putIfAbsent(withoutFragment(schema.base()) + '#' + anchor.asText(), schema);
            }
        }
        JsonNode id = node.path(schema.dialect().idKeyword());
        if (id.isTextual() && id.asText().startsWith("#")) {
            byUri.putIfAbsent(withoutFragment(schema.base()) + id.asText(), schema);
        }
        if (reference(node) != null) {
            references.add(schema);
        }
    }

    private static void addChildren(Located schema, List<Located> open) {
        JsonNode node = schema.node();
        for (String keyword : OF_ONE) {
            add(schema, node.path(keyword), open);
        }
        JsonNode items = node.path("items");
        if (items.isArray()) {
            items.forEach(each -> add(schema, each, open));
        } else {
            add(schema, items, open);
        }
        for (String keyword : OF_MANY) {
            node.path(keyword).forEach(each -> add(schema, each, open));
        }
        for (String keyword : BY_NAME) {
            node.path(keyword).forEach(each -> add(schema, each, open));
        }
    }

    private static void add(Located parent, JsonNode child, List<Located> open) {
        if (child.isObject()) {
            open.add(parent.child(child));
        }
    }

    /** Text of the reference that a schema is; null if it is none. */
    static @Nullable String reference(JsonNode schema) {
        for (String keyword : List.of("$ref", "$recursiveRef", "$dynamicRef")) {
            if (schema.path(keyword).isTextual()) {
                return schema.path(keyword).asText();
            }
        }
        return null;
    }

    /** The schema that one refers to. */
    Located target(Located schema) throws InvalidSchemaException {
        String reference = String.valueOf(reference(schema.node()));
        int hash = reference.indexOf('#');
        String document = hash < 0 ? reference : reference.substring(0, hash);
        String fragment = hash < 0 ? "" : reference.substring(hash + 1);
        Located resource = document.isEmpty()
                ? new Located(schema.document(), schema.document(), schema.base(), schema.dialect())
                : document(document, schema.base());
        Located found = resource == null ? null : in(resource, fragment);
        if (found == null || !found.node().isObject() && !found.node().isBoolean()) {
            throw new InvalidSchemaException(
                    "$ref \"" + reference + "\" leads to no schema: it is neither in the schema nor in its references");
        }
        return found;
    }

    private @Nullable Located document(String reference, URI base) {
        Located byName = byUri.get(reference);
        URI uri = uri(reference);
        return byName != null || uri == null ? byName : byUri.get(withoutFragment(base.resolve(uri)));
    }

    private @Nullable Located in(Located resource, String encoded) {
        String fragment = URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
        if (fragment.isEmpty()) {
            return resource;
        }
        if (!fragment.startsWith("/")) {
            return byUri.get(withoutFragment(resource.base()) + '#' + fragment);
        }
        Located at = resource;
        for (String token : fragment.substring(1).split("/", -1)) {
            String name = token.replace("~1", "/").replace("~0", "~");
            JsonNode next = at.node().isArray()
                    ? at.node().path(index(name))
                    : at.node().path(name);
            at = at.child(next);
        }
        return at;
    }

    private static int index(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static @Nullable URI uri(String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static String withoutFragment(URI uri) {
        String text = uri.toString();
        int hash = text.indexOf('#');
        return hash < 0 ? text : text.substring(0, hash);
    }
}
