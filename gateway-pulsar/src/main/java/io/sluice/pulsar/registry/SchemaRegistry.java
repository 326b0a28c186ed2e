package io.sluice.pulsar.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.registry.RegistryRecords.Stored;
import io.sluice.pulsar.schema.SchemaRules;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.schema.TopicSchemas.Versioned;
import io.sluice.store.cluster.Metadata;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.AvroRuntimeException;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Avro schemas by subject: registered, found, compared and deleted. The schemas of a subject are kept by {@link TopicSchemas}; those of subject
 * {@code T-value} are those of topic {@code T}, where there is one, so that its Pulsar clients have the same: version 1 here is version 0 there.
 * A version that is deleted here is hidden here only, for there are messages that name it. Blocking.
 */
public final class SchemaRegistry {
    private static final String STANDARD_LEVEL = "BACKWARD";
    private static final String STANDARD_MODE = "READWRITE";
    private static final String READ_ONLY = "READONLY";
    private static final int MOST_REFERENCES = 100;

    private final RegistryRecords records;
    private final TopicSchemas schemas;
    private final TopicCatalogue topics;

    public SchemaRegistry(Metadata metadata, TopicSchemas schemas, TopicCatalogue topics) {
        this.records = new RegistryRecords(metadata);
        this.schemas = schemas;
        this.topics = topics;
    }

    /**
     * A schema as clients send it.
     *
     * @param references schemas that it names, each by name, subject and version
     */
    public record Given(String schema, JsonArray references) {}

    /** A schema of a subject. */
    public record Registered(Subject subject, int id, int version, String schema, JsonArray references) {}

    /** @param text in Avro's own form, with what it refers to */
    private record Parsed(org.apache.avro.Schema schema, String text) {}

    // ---- subjects

    private UUID placeOf(Subject subject) {
        Topic topic = subject.isOfValues() ? topics.find(subject.topic()) : null;
        return topic == null || topic.internal() ? TopicSchemas.ofSubject(subject.name()) : topic.id();
    }

    /** Every schema of the subject by its version, those that were deleted here, too. */
    private TreeMap<Integer, String> all(Subject subject) throws IOException {
        TreeMap<Integer, String> all = new TreeMap<>();
        for (Versioned each : schemas.all(placeOf(subject))) {
            if (each.schema().getType() == Schema.Type.Avro) {
                all.put((int) each.version() + 1, new String(each.schema().getSchemaData(), UTF_8));
            }
        }
        return all;
    }

    private TreeMap<Integer, String> shown(Subject subject, boolean hidden) throws IOException {
        SubjectSettings settings = records.settings(subject.name());
        TreeMap<Integer, String> shown = all(subject);
        shown.keySet().removeIf(v -> settings.gone().contains(v) || !hidden && settings.isDeleted(v));
        return shown;
    }

    private TreeMap<Integer, String> existing(Subject subject, boolean hidden) throws IOException, RegistryException {
        TreeMap<Integer, String> shown = shown(subject, hidden);
        if (shown.isEmpty()) {
            throw new RegistryException(RegistryException.NO_SUBJECT, "Subject '" + subject.name() + "' not found.");
        }
        return shown;
    }

    /** Names of subjects that have a schema; those of topics that only Pulsar clients have used, too. */
    public List<String> subjects(boolean hidden) throws IOException {
        Set<String> names = records.subjects();
        for (UUID id : schemas.topics()) {
            Topic topic = topics.find(id);
            String name = topic == null || topic.internal() ? null : KafkaNames.of(topic.name());
            if (name != null) {
                names.add(Subject.ofValues(name));
            }
        }
        List<String> there = new ArrayList<>();
        for (String name : new TreeSet<>(names)) {
            try {
                if (!shown(Subject.of(name), hidden).isEmpty()) {
                    there.add(name);
                }
            } catch (RegistryException e) {
                continue; // a topic whose name is none of a subject's
            }
        }
        return there;
    }

    public Set<Integer> versions(Subject subject, boolean hidden) throws IOException, RegistryException {
        return existing(subject, hidden).keySet();
    }

    /** @param version a number, or {@code latest} */
    public Registered version(Subject subject, String version, boolean hidden) throws IOException, RegistryException {
        TreeMap<Integer, String> there = existing(subject, hidden);
        int wanted = numberOf(version, there.lastKey());
        String text = there.get(wanted);
        if (text == null) {
            throw new RegistryException(RegistryException.NO_VERSION, "Version " + wanted + " not found.");
        }
        return registered(subject, wanted, text, new JsonArray());
    }

    private static int numberOf(String version, int latest) throws RegistryException {
        if (version.equals("latest") || version.equals("-1")) {
            return latest;
        }
        try {
            int number = Integer.parseInt(version);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // answered as other numbers that are no version
        }
        throw new RegistryException(
                RegistryException.BAD_VERSION,
                "The specified version '" + version
                        + "' is not a valid version id. Allowed values are between [1, 2^31-1]"
                        + " and the string \"latest\"");
    }

    private Registered registered(Subject subject, int version, String stored, JsonArray references)
            throws IOException {
        String text = plain(stored).toString();
        return new Registered(subject, records.idOf(text, references, subject.name()), version, text, references);
    }

    private static org.apache.avro.Schema plain(String text) {
        return TopicSchemas.avro(text.getBytes(UTF_8));
    }

    // ---- registering

    /** Finds a schema of the subject. */
    public Registered find(Subject subject, Given given, boolean hidden) throws IOException, RegistryException {
        TreeMap<Integer, String> there = existing(subject, hidden);
        Parsed parsed = parse(given);
        for (var each : there.descendingMap().entrySet()) {
            if (plain(each.getValue()).equals(parsed.schema())) {
                return registered(subject, each.getKey(), parsed, given);
            }
        }
        throw new RegistryException(RegistryException.NO_SCHEMA, "Schema not found");
    }

    private Registered registered(Subject subject, int version, Parsed parsed, Given given) throws IOException {
        String text = given.references().isEmpty() ? parsed.text() : given.schema();
        int id = records.idOf(text, given.references(), subject.name());
        return new Registered(subject, id, version, text, given.references());
    }

    /** Registers a schema, which keeps its version if it has one. */
    public Registered register(Subject subject, Given given) throws IOException, RegistryException {
        if (mode(subject).equals(READ_ONLY)) {
            throw new RegistryException(
                    RegistryException.NOT_PERMITTED, "Subject " + subject.name() + " is in read-only mode");
        }
        Parsed parsed = parse(given);
        Set<Long> deleted = deleted(subject);
        TopicSchemas.Answer answer =
                schemas.registerNow(placeOf(subject), proto(subject, parsed), rules(subject), deleted);
        switch (answer) {
            case TopicSchemas.Answer.Found f -> {
                int version = (int) f.schema().version() + 1;
                records.changeSettings(subject.name(), settings -> settings.showing(version));
                return registered(subject, version, parsed, given);
            }
            case TopicSchemas.Answer.Refused why ->
                throw new RegistryException(
                        RegistryException.INCOMPATIBLE,
                        "Schema being registered is incompatible with an earlier schema for subject \"" + subject.name()
                                + "\": " + why.message());
            case TopicSchemas.Answer.None n ->
                throw new RegistryException(RegistryException.UNAVAILABLE, "the subject is not there");
            case TopicSchemas.Answer.Unavailable why ->
                throw new RegistryException(RegistryException.UNAVAILABLE, why.message());
        }
    }

    /** Versions of {@link TopicSchemas} that were deleted here. */
    private Set<Long> deleted(Subject subject) throws IOException {
        SubjectSettings settings = records.settings(subject.name());
        return Stream.concat(settings.hidden().stream(), settings.gone().stream())
                .map(version -> version - 1L)
                .collect(Collectors.toSet());
    }

    private static Schema proto(Subject subject, Parsed parsed) {
        return new Schema()
                .setName(subject.name())
                .setType(Schema.Type.Avro)
                .setSchemaData(parsed.text().getBytes(UTF_8));
    }

    /**
     * Reasons why the schema may not follow those of the subject; none if it may, or if there are none.
     *
     * @param version to compare with; null for what the level asks for
     */
    public List<String> whyNot(Subject subject, Given given, @Nullable String version)
            throws IOException, RegistryException {
        Parsed parsed = parse(given);
        TreeMap<Integer, String> there = version == null ? shown(subject, false) : existing(subject, false);
        SchemaRules rules = rules(subject);
        List<Schema> before = new ArrayList<>();
        if (version == null) {
            there.values().forEach(text -> before.add(proto(subject, new Parsed(parsed.schema(), text))));
        } else {
            Registered other = version(subject, version, false);
            before.add(proto(subject, new Parsed(parsed.schema(), other.schema())));
        }
        String why = TopicSchemas.whyNotFollow(before, proto(subject, parsed), rules);
        return why == null ? List.of() : List.of(why);
    }

    private Parsed parse(Given given) throws IOException, RegistryException {
        if (given.references().size() > MOST_REFERENCES) {
            throw new RegistryException(
                    RegistryException.BAD_SCHEMA, "a schema has " + MOST_REFERENCES + " references at most");
        }
        try {
            org.apache.avro.Schema.Parser parser = new org.apache.avro.Schema.Parser();
            for (Object each : given.references()) {
                if (!(each instanceof JsonObject reference)) {
                    throw new RegistryException(RegistryException.BAD_SCHEMA, "a reference is an object");
                }
                Registered other = version(
                        Subject.of(reference.getString("subject", "")),
                        String.valueOf(reference.getInteger("version", 0)),
                        true);
                org.apache.avro.Schema known = plain(other.schema());
                if (!parser.getTypes().containsKey(known.getFullName())) {
                    parser.parse(other.schema());
                }
            }
            org.apache.avro.Schema schema = parser.parse(given.schema());
            return new Parsed(schema, schema.toString());
        } catch (AvroRuntimeException e) {
            throw new RegistryException(
                    RegistryException.BAD_SCHEMA, "Invalid schema of type AVRO, details: " + shortened(e.getMessage()));
        }
    }

    private static String shortened(@Nullable String text) {
        String whole = String.valueOf(text);
        return whole.length() <= 200 ? whole : whole.substring(0, 200) + "...";
    }

    // ---- deleting

    /** Deletes the subject's versions, for good if they are deleted already; returns which. */
    public Set<Integer> delete(Subject subject, boolean forGood) throws IOException, RegistryException {
        refuseIfReadOnly(subject);
        Set<Integer> there = versions(subject, true);
        SubjectSettings settings = records.settings(subject.name());
        boolean isDeleted = settings.hidden().containsAll(there);
        if (forGood && !isDeleted) {
            throw new RegistryException(
                    RegistryException.SUBJECT_NOT_DELETED,
                    "Subject '" + subject.name() + "' was not deleted first before being permanently deleted");
        }
        if (!forGood && isDeleted) {
            throw new RegistryException(
                    RegistryException.SUBJECT_IS_DELETED,
                    "Subject '" + subject.name() + "' was soft deleted. Set permanent=true to delete permanently");
        }
        Set<Integer> now = new TreeSet<>(there);
        if (!forGood) {
            now.removeAll(settings.hidden());
        }
        records.changeSettings(subject.name(), s -> forGood ? s.without(now) : s.hiding(now));
        return now;
    }

    /** Deletes a version, for good if it is deleted already. */
    public int delete(Subject subject, String version, boolean forGood) throws IOException, RegistryException {
        refuseIfReadOnly(subject);
        int wanted = version(subject, version, true).version();
        boolean isDeleted = records.settings(subject.name()).hidden().contains(wanted);
        if (forGood && !isDeleted) {
            throw new RegistryException(
                    RegistryException.VERSION_NOT_DELETED,
                    "Subject '" + subject.name() + "' Version " + wanted
                            + " was not deleted first before being permanently deleted");
        }
        if (!forGood && isDeleted) {
            throw new RegistryException(
                    RegistryException.VERSION_IS_DELETED,
                    "Subject '" + subject.name() + "' Version " + wanted
                            + " was soft deleted. Set permanent=true to delete permanently");
        }
        records.changeSettings(subject.name(), s -> forGood ? s.without(Set.of(wanted)) : s.hiding(Set.of(wanted)));
        return wanted;
    }

    private void refuseIfReadOnly(Subject subject) throws IOException, RegistryException {
        if (mode(subject).equals(READ_ONLY)) {
            throw new RegistryException(
                    RegistryException.NOT_PERMITTED, "Subject " + subject.name() + " is in read-only mode");
        }
    }

    // ---- ids

    /** Subjects that have, or had, the schema of an id; empty if there is none. */
    public Set<String> subjectsOf(int id) throws IOException {
        Stored stored = records.find(id);
        return stored == null ? Set.of() : stored.subjects();
    }

    public Given byId(int id) throws IOException, RegistryException {
        Stored stored = records.find(id);
        if (stored == null) {
            throw new RegistryException(RegistryException.NO_SCHEMA, "Schema " + id + " not found");
        }
        return new Given(stored.schema(), stored.references());
    }

    /** Subjects that have the schema now, each with its version. */
    public List<Registered> placesOf(int id, boolean hidden) throws IOException, RegistryException {
        Given schema = byId(id);
        List<Registered> places = new ArrayList<>();
        for (String name : new TreeSet<>(subjectsOf(id))) {
            try {
                places.add(find(Subject.of(name), schema, hidden));
            } catch (RegistryException e) {
                continue; // it had the schema, and has it no more
            }
        }
        return places;
    }

    // ---- settings

    private SchemaRules rules(Subject subject) throws IOException {
        String own = records.settings(subject.name()).level();
        String level = own == null ? level() : own;
        return new SchemaRules(
                level.equals("NONE")
                        ? SchemaCompatibilityStrategy.ALWAYS_COMPATIBLE
                        : SchemaCompatibilityStrategy.valueOf(level),
                true);
    }

    /** Level of subjects that have none of their own. */
    public String level() throws IOException {
        String level = records.settings(null).level();
        return level == null ? STANDARD_LEVEL : level;
    }

    /** Null where the subject has none of its own. */
    public @Nullable String ownLevel(Subject subject) throws IOException {
        return records.settings(subject.name()).level();
    }

    /** @param subject null for all that have none of their own */
    public void setLevel(@Nullable Subject subject, @Nullable String level) throws IOException, RegistryException {
        Set<String> levels = Set.of(
                "NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE");
        if (level != null && !levels.contains(level)) {
            throw new RegistryException(
                    RegistryException.BAD_LEVEL,
                    "Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive,"
                            + " forward_transitive, and full_transitive");
        }
        records.changeSettings(subject == null ? null : subject.name(), settings -> settings.withLevel(level));
    }

    private String mode(Subject subject) throws IOException {
        String own = ownMode(subject);
        return own == null ? mode() : own;
    }

    /** Mode of subjects that have none of their own. */
    public String mode() throws IOException {
        String mode = records.settings(null).mode();
        return mode == null ? STANDARD_MODE : mode;
    }

    /** Null where the subject has none of its own. */
    public @Nullable String ownMode(Subject subject) throws IOException {
        return records.settings(subject.name()).mode();
    }

    /** @param subject null for all that have none of their own */
    public void setMode(@Nullable Subject subject, @Nullable String mode) throws IOException, RegistryException {
        if (mode != null && !Set.of(STANDARD_MODE, READ_ONLY).contains(mode)) {
            throw new RegistryException(
                    RegistryException.BAD_MODE,
                    "Invalid mode. Valid values are READWRITE, READONLY; ids cannot be imported");
        }
        records.changeSettings(subject == null ? null : subject.name(), settings -> settings.withMode(mode));
    }
}
