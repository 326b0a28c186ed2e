package io.sluice.pulsar.registry.jsonschema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes of a schema that break readers: what the writer's takes and the reader's does not. A schema is taken for several that all hold: its
 * own keywords, and each that combines others. The reader's holds if each part of it takes all that some part of the writer's does.
 *
 * <p>The rules are those that Confluent's registry documents: among them, that a property may not come into an open content model, for it may
 * be there already, as something else.
 */
final class JsonSchemaDifferences {
    private static final int MOST = 100;
    /** Keywords, properties and values that are looked at, the same ones each time. */
    private static final int MAX_STEPS = 1_000_000;

    /** A condition is compared as a whole. */
    private static final int WEIGHT_OF_CONDITION = 200;

    private static final int MAX_DEPTH = 200;
    private static final List<String> COMBINING = List.of("allOf", "anyOf", "oneOf", "not");

    /** Keywords that are about the same; all others are one group more. */
    private static final List<List<String>> GROUPS = List.of(
            List.of("type"),
            List.of("enum", "const"),
            List.of("maxLength", "minLength"),
            List.of("pattern"),
            List.of("maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
            List.of("multipleOf"));

    private static final Set<String> SILENT = Set.of(
            "$schema",
            "$id",
            "id",
            "$anchor",
            "$dynamicAnchor",
            "$comment",
            "$defs",
            "definitions",
            "title",
            "description",
            "default",
            "examples",
            "deprecated",
            "readOnly",
            "writeOnly",
            "$vocabulary",
            "$recursiveAnchor");

    /** Two schemas, as nodes of their documents. */
    private record Pair(Identity writer, Identity reader) {}

    private record Identity(JsonNode node) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Identity identity && identity.node == node;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(node);
        }
    }

    private final Resources writers;
    private final Resources readers;
    private final Map<Pair, List<String>> compared = new HashMap<>();
    /** By the schema that they are of, so that each is compared once. */
    private final Map<JsonNode, Located> ownParts = new IdentityHashMap<>();

    private final Map<JsonNode, Located> splits = new IdentityHashMap<>();
    private int steps;
    private int depth;

    private JsonSchemaDifferences(Resources writers, Resources readers) {
        this.writers = writers;
        this.readers = readers;
    }

    /**
     * Each as {@code KIND at #/path: text}.
     *
     * @throws InvalidSchemaException if it takes more than the bounds to tell
     */
    static List<String> between(Resources writer, Resources reader) throws InvalidSchemaException {
        return new JsonSchemaDifferences(writer, reader).compare(writer.root(), reader.root(), "#");
    }

    /** Differences of two schemas; while they are compared, within themselves, there is none. */
    List<String> compare(Located writer, Located reader, String path) throws InvalidSchemaException {
        Located from = resolved(writer, writers);
        Located to = resolved(reader, readers);
        Pair pair = new Pair(new Identity(from.node()), new Identity(to.node()));
        List<String> known = compared.get(pair);
        if (known != null) {
            return known;
        }
        steps += weight(from.node()) + weight(to.node());
        if (steps > MAX_STEPS || depth >= MAX_DEPTH) {
            throw new InvalidSchemaException("the schemas are too complex to compare");
        }
        compared.put(pair, List.of());
        depth++;
        List<String> found = differences(from, to, path);
        depth--;
        List<String> kept = found.size() > MOST ? List.copyOf(found.subList(0, MOST)) : found;
        compared.put(pair, kept);
        return kept;
    }

    private static int weight(JsonNode schema) {
        int weight = 1 + schema.size();
        for (JsonNode each : schema) {
            weight += each.size();
        }
        return schema.has("if") ? weight + WEIGHT_OF_CONDITION : weight;
    }

    /** The schema that a reference leads to, with what is beside the reference where that counts. */
    private Located resolved(Located schema, Resources resources) throws InvalidSchemaException {
        Located at = schema;
        for (int hops = 0; Resources.reference(at.node()) != null; hops++) {
            if (hops > MAX_DEPTH) {
                throw new InvalidSchemaException("$ref goes in a circle");
            }
            if (at.dialect().hasKeywordsBesideRef() && !isSilent(without(at.node(), REFERENCES))) {
                return split(at);
            }
            at = resources.target(at);
        }
        return at;
    }

    private static final List<String> REFERENCES = List.of("$ref", "$recursiveRef", "$dynamicRef");

    /** All of the reference and of the other keywords. */
    private Located split(Located schema) {
        Located known = splits.get(schema.node());
        if (known == null) {
            ObjectNode all = schema.node().deepCopy();
            ObjectNode reference = all.objectNode();
            REFERENCES.forEach(keyword -> {
                if (schema.node().has(keyword)) {
                    reference.set(keyword, all.remove(keyword));
                }
            });
            ObjectNode both = all.objectNode();
            both.putArray("allOf").add(reference).add(all);
            known = schema.part(both);
            splits.put(schema.node(), known);
        }
        return known;
    }

    private static JsonNode without(JsonNode node, List<String> keywords) {
        return node instanceof ObjectNode object ? object.deepCopy().without(keywords) : node;
    }

    /** Whether a schema takes everything. */
    static boolean isSilent(JsonNode node) {
        if (!node.isObject()) {
            return !node.isBoolean() || node.booleanValue();
        }
        return node.properties().stream().allMatch(each -> SILENT.contains(each.getKey()));
    }

    /** Whether a schema takes nothing. */
    static boolean isFalse(JsonNode node) {
        return node.isBoolean() && !node.booleanValue();
    }

    private List<String> differences(Located writer, Located reader, String path) throws InvalidSchemaException {
        if (isFalse(writer.node()) || isSilent(reader.node()) || isFalse(reader.node()) && isFalse(writer.node())) {
            return List.of();
        }
        if (isFalse(reader.node())) {
            return List.of("SCHEMA_REMOVED at " + path + ": nothing is taken any more");
        }
        List<String> found = new ArrayList<>();
        for (JsonNode each : reader.node().path("allOf")) {
            found.addAll(ofPart(writer, reader.child(each), path, "PRODUCT_TYPE_EXTENDED"));
        }
        for (String keyword : List.of("anyOf", "oneOf")) {
            if (reader.node().path(keyword).isArray()) {
                found.addAll(ofChoice(writer, reader, keyword, path + '/' + keyword));
            }
        }
        if (reader.node().has("not")) {
            found.addAll(ofNot(writer, reader, path + "/not"));
        }
        Located own = own(reader);
        if (!isSilent(own.node())) {
            found.addAll(ofPart(writer, own, path, "TYPE_CHANGED"));
        }
        return found;
    }

    /** The keywords of a schema that combine no others, in a schema of their own. */
    private Located own(Located schema) {
        if (COMBINING.stream().noneMatch(schema.node()::has)) {
            return schema;
        }
        return ownParts.computeIfAbsent(schema.node(), node -> schema.part(without(node, COMBINING)));
    }

    /** Whether some part of the writer's schema is taken by a part of the reader's; if not, why. */
    private List<String> ofPart(Located writer, Located reader, String path, String kind)
            throws InvalidSchemaException {
        if (isSilent(reader.node())) {
            return List.of();
        }
        boolean isCombined =
                COMBINING.stream().anyMatch(reader.node()::has) || Resources.reference(reader.node()) != null;
        if (isCombined) {
            return compare(writer, reader, path);
        }
        Located own = own(writer);
        List<String> why = null;
        if (own == writer || !isSilent(own.node())) {
            why = ofKeywords(own, reader, path);
            if (why.isEmpty()) {
                return why;
            }
        }
        for (JsonNode each : writer.node().path("allOf")) {
            if (compare(writer.child(each), reader, path).isEmpty()) {
                return List.of();
            }
        }
        for (String keyword : List.of("anyOf", "oneOf")) {
            JsonNode choices = writer.node().path(keyword);
            if (choices.isArray()) {
                List<String> all = new ArrayList<>();
                for (JsonNode each : choices) {
                    all.addAll(compare(writer.child(each), reader, path));
                }
                if (all.isEmpty()) {
                    return all;
                }
                why = why == null ? all : why;
            }
        }
        if (writer.node().has("allOf") && eachGroupHolds(writer, reader, path, kind)) {
            return List.of();
        }
        return why == null ? List.of(kind + " at " + path + ": the schema was none that this one takes") : why;
    }

    /** Keywords that say nothing of each other may hold by one part of the writer's schema each. */
    private boolean eachGroupHolds(Located writer, Located reader, String path, String kind)
            throws InvalidSchemaException {
        List<ObjectNode> groups = new ArrayList<>();
        ObjectNode others = reader.node().deepCopy();
        for (List<String> keywords : GROUPS) {
            ObjectNode group = others.objectNode();
            keywords.stream().filter(others::has).forEach(each -> group.set(each, others.get(each)));
            others.remove(keywords);
            if (!group.isEmpty()) {
                groups.add(group);
            }
        }
        if (!isSilent(others)) {
            groups.add(others);
        }
        if (groups.size() < 2) {
            return false;
        }
        for (ObjectNode group : groups) {
            if (!ofPart(writer, reader.part(group), path, kind).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private List<String> ofKeywords(Located writer, Located reader, String path) throws InvalidSchemaException {
        if (isFalse(writer.node())) {
            return List.of();
        }
        return new KeywordDifferences(this, new Keywords(writer), new Keywords(reader), path).find();
    }

    /** A choice of the reader's: each of the writer's has to be one of it. */
    private List<String> ofChoice(Located writer, Located reader, String keyword, String path)
            throws InvalidSchemaException {
        List<Located> choices = new ArrayList<>();
        reader.node().path(keyword).forEach(each -> choices.add(reader.child(each)));
        for (String other : List.of("anyOf", "oneOf")) {
            if (writer.node().path(other).isArray() && allIn(writer, other, choices, path)) {
                return List.of();
            }
        }
        for (Located choice : choices) {
            if (compare(writer, choice, path).isEmpty()) {
                return List.of();
            }
        }
        for (JsonNode each : writer.node().path("allOf")) {
            if (ofChoice(writer.child(each), choices, path)) {
                return List.of();
            }
        }
        if (writer.node().path("type").size() > 1 && eachTypeIn(writer, choices, path)) {
            return List.of();
        }
        return List.of("SUM_TYPE_NARROWED at " + path + ": what was taken is none of the choices");
    }

    private boolean allIn(Located writer, String keyword, List<Located> choices, String path)
            throws InvalidSchemaException {
        for (JsonNode each : writer.node().path(keyword)) {
            if (!ofChoice(writer.child(each), choices, path)) {
                return false;
            }
        }
        return true;
    }

    /** Several types are a choice of each, with the other keywords. */
    private boolean eachTypeIn(Located writer, List<Located> choices, String path) throws InvalidSchemaException {
        for (JsonNode type : writer.node().path("type")) {
            ObjectNode one = writer.node().deepCopy();
            one.set("type", type);
            if (!ofChoice(writer.part(one), choices, path)) {
                return false;
            }
        }
        return true;
    }

    private boolean ofChoice(Located writer, List<Located> choices, String path) throws InvalidSchemaException {
        for (Located choice : choices) {
            if (compare(writer, choice, path).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** The writer's schema has to have refused all that the reader's does: they are compared the other way round. */
    private List<String> ofNot(Located writer, Located reader, String path) throws InvalidSchemaException {
        Located refused = new Keywords(reader).under("not");
        for (Located each : conjuncts(writer)) {
            if (each.node().has("not") && reversed(refused, new Keywords(each).under("not"), path)) {
                return List.of();
            }
        }
        return List.of("NOT_TYPE_EXTENDED at " + path + ": more is refused");
    }

    private static List<Located> conjuncts(Located schema) {
        List<Located> all = new ArrayList<>(List.of(schema));
        schema.node().path("allOf").forEach(each -> all.add(schema.child(each)));
        return all;
    }

    private boolean reversed(Located ofReader, Located ofWriter, String path) throws InvalidSchemaException {
        JsonSchemaDifferences other = new JsonSchemaDifferences(readers, writers);
        other.steps = steps;
        other.depth = depth + 1;
        boolean isIn = other.compare(ofReader, ofWriter, path).isEmpty();
        steps = other.steps;
        return isIn;
    }

    /** Whether two conditions are the same, and refer to the same names. */
    static boolean isSameCondition(@Nullable JsonNode writer, @Nullable JsonNode reader) {
        return reader == null || writer != null && Json.same(writer, reader);
    }
}
