package io.sluice.pulsar.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.registry.RegistryRecords.Stored;
import io.sluice.pulsar.registry.format.ParsedSchema;
import io.sluice.pulsar.registry.format.SchemaTypes;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.schema.TopicSchemas.Versioned;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
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
import org.apache.pulsar.common.api.proto.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Schemas by subject: registered, found, compared and deleted. The schemas of a subject are kept by {@link TopicSchemas}; those of subject
 * {@code T-value} are those of topic {@code T}, where there is one, so that its Pulsar clients have the same: version 1 here is version 0 there.
 * A version that is deleted here is hidden here only, for there are messages that name it. Blocking.
 */
public final class SchemaRegistry {
    private static final int MAX_BYTES = 512 * 1024;
    /** So that there are more to give out after any that is imported. */
    private static final int MAX_IMPORTED_ID = 2_000_000_000;

    private final RegistryRecords records;
    private final RegistrySettings settings;
    private final TopicSchemas schemas;
    private final ParsedSchemas parsed = new ParsedSchemas();
    private final SubjectCatalogue subjects;

    public SchemaRegistry(Metadata metadata, TopicSchemas schemas, TopicCatalogue topics) {
        this.records = new RegistryRecords(metadata);
        this.settings = new RegistrySettings(records);
        this.schemas = schemas;
        this.subjects = new SubjectCatalogue(records, schemas, topics, parsed);
    }

    /**
     * A schema as clients send it.
     *
     * @param type by its name for clients
     * @param references schemas that it names, each by name, subject and version
     */
    public record Given(String type, String schema, JsonArray references) {}

    /**
     * Place for a schema of another registry.
     *
     * @param id 0 for one of this registry
     * @param version 0 for the next
     */
    public record Place(int id, int version) {
        public static final Place NEXT = new Place(0, 0);
    }

    private record Parsed(ParsedSchema schema, JsonArray references) {
        String key() {
            return schema.key();
        }

        Stored stored(String text, String subject) {
            return new Stored(schema.type(), text, references, Set.of(subject));
        }
    }

    public SubjectCatalogue subjects() {
        return subjects;
    }

    /** Levels and modes. */
    public RegistrySettings settings() {
        return settings;
    }

    // ---- registering

    /** Finds a schema of the subject. */
    public Registered find(Subject subject, Given given, boolean hidden) throws IOException, RegistryException {
        TreeMap<Integer, Schema> there = subjects.existing(subject, hidden);
        Registered found = subjects.find(subject, parse(given).schema(), there);
        if (found == null) {
            throw new RegistryException(RegistryException.NO_SCHEMA, "Schema not found");
        }
        return found;
    }

    /**
     * Registers a schema, which keeps its version if it has one.
     *
     * @param normalize to keep its text in the form that is the same for all that mean the same
     */
    public Registered register(Subject subject, Given given, boolean normalize, Place place)
            throws IOException, RegistryException {
        refuseIfReadOnly(subject);
        Parsed parsed = parse(given);
        Registered there = subjects.find(subject, parsed.schema(), subjects.shown(subject, false));
        if (there != null && (place.id() == 0 || place.id() == there.id())) {
            return there;
        }
        boolean imports = refuseWrongPlace(subject, place);
        CompatibilityLevel level = imports ? CompatibilityLevel.NONE : settings.levelOf(subject);
        TopicSchemas.Comparison comparison = level.comparing(parsed.schema(), this.parsed);
        refuseUnlessFollowing(subject, parsed, comparison);
        String text = normalize ? parsed.schema().normalized() : parsed.schema().text();
        int id = idOf(subject, parsed, text, place);
        for (Object each : parsed.references()) {
            JsonObject reference = (JsonObject) each;
            records.addReferrer(reference.getString("subject"), reference.getInteger("version"), id);
        }
        return register(subject, parsed, comparison, id);
    }

    /** Whether it is a schema of another registry that may be imported. */
    private boolean refuseWrongPlace(Subject subject, Place place) throws IOException, RegistryException {
        boolean imports = settings.modeOf(subject) == RegistrySettings.Mode.IMPORT;
        if (imports != place.id() > 0) {
            throw notPermitted(
                    "Subject " + subject.name() + (imports ? " is in import mode" : " is not in import mode"));
        }
        if (place.id() > MAX_IMPORTED_ID) {
            throw notPermitted("ids over " + MAX_IMPORTED_ID + " are not imported");
        }
        TreeMap<Integer, Schema> there = new TreeMap<>();
        for (Versioned each : schemas.all(subjects.placeOf(subject))) {
            there.put((int) each.version() + 1, each.schema());
        }
        int next = there.isEmpty() ? 1 : there.lastKey() + 1;
        if (imports && place.version() > 0 && place.version() != next) {
            throw notPermitted("the next version of subject " + subject.name() + " is " + next + ", not "
                    + place.version() + ": versions are imported in their order, without gaps");
        }
        return imports;
    }

    private static RegistryException notPermitted(String why) {
        return new RegistryException(RegistryException.NOT_PERMITTED, why);
    }

    /** Before it has an id; the same is decided once more when it is written. */
    private void refuseUnlessFollowing(Subject subject, Parsed parsed, TopicSchemas.Comparison comparison)
            throws IOException, RegistryException {
        Set<Long> deleted = deleted(subject);
        List<Schema> before = schemas.all(subjects.placeOf(subject)).stream()
                .filter(each -> !deleted.contains(each.version()))
                .map(Versioned::schema)
                .toList();
        Schema next = parsed.schema().stored(subject.name());
        if (before.stream().noneMatch(each -> comparison.same(each, next))) {
            String why = comparison.whyNotFollow(before, next);
            if (why != null) {
                throw incompatible(subject, why);
            }
        }
    }

    private static RegistryException incompatible(Subject subject, String why) {
        return new RegistryException(
                RegistryException.INCOMPATIBLE,
                "Schema being registered is incompatible with an earlier schema for subject \"" + subject.name()
                        + "\": " + why);
    }

    private int idOf(Subject subject, Parsed parsed, String text, Place place) throws IOException, RegistryException {
        Stored stored = parsed.stored(text, subject.name());
        if (place.id() == 0) {
            return records.idOf(parsed.key(), stored, subject.name());
        }
        if (!records.claim(place.id(), parsed.key(), stored, subject.name())) {
            throw notPermitted("Overwrite new schema with id " + place.id() + " is not permitted.");
        }
        return place.id();
    }

    private Registered register(Subject subject, Parsed parsed, TopicSchemas.Comparison comparison, int id)
            throws IOException, RegistryException {
        UUID topic = subjects.placeOf(subject);
        Schema next = parsed.schema().stored(subject.name());
        TopicSchemas.Answer answer = schemas.registerNow(topic, next, comparison, deleted(subject));
        switch (answer) {
            case TopicSchemas.Answer.Found f -> {
                int version = (int) f.schema().version() + 1;
                Set<String> there = schemas.all(topic).stream()
                        .map(each -> ParsedSchemas.hash(each.schema()))
                        .collect(Collectors.toSet());
                records.changeSettings(
                        subject.name(),
                        s -> s.registered(version, ParsedSchemas.hash(f.schema().schema()), id, there));
                return subjects.registered(subject, version, f.schema().schema());
            }
            case TopicSchemas.Answer.Refused why -> throw incompatible(subject, why.message());
            case TopicSchemas.Answer.None n ->
                throw new RegistryException(RegistryException.UNAVAILABLE, "the subject is not there");
            case TopicSchemas.Answer.Unavailable why ->
                throw new RegistryException(RegistryException.UNAVAILABLE, why.message());
        }
    }

    /** Versions of {@link TopicSchemas} that were deleted here. */
    private Set<Long> deleted(Subject subject) throws IOException {
        SubjectSettings of = records.settings(subject.name());
        return Stream.concat(of.hidden().stream(), of.gone().stream())
                .map(version -> version - 1L)
                .collect(Collectors.toSet());
    }

    /**
     * Reasons why the schema may not follow those of the subject; none if it may, or if there are none.
     *
     * @param version to compare with; null for what the level asks for
     */
    public List<String> whyNot(Subject subject, Given given, @Nullable String version)
            throws IOException, RegistryException {
        ParsedSchema next = parse(given).schema();
        TreeMap<Integer, Schema> there =
                version == null ? subjects.shown(subject, false) : subjects.existing(subject, false);
        if (version == null) {
            return settings.levelOf(subject).whyNotFollow(List.copyOf(there.values()), next, parsed);
        }
        Schema other = there.get(subjects.version(subject, version, false).version());
        return other == null ? List.of() : settings.levelOf(subject).whyNotFollow(List.of(other), next, parsed);
    }

    private Parsed parse(Given given) throws IOException, RegistryException {
        if (given.schema().getBytes(UTF_8).length > MAX_BYTES) {
            throw new RegistryException(RegistryException.BAD_SCHEMA, "a schema has " + MAX_BYTES + " bytes at most");
        }
        References.Versions versions = (subject, version) -> subjects.version(subject, version, true);
        JsonArray references = References.checked(given.references(), versions);
        try {
            return new Parsed(
                    SchemaTypes.parse(given.type(), given.schema(), References.resolve(references, versions)),
                    references);
        } catch (InvalidSchemaException e) {
            throw new RegistryException(
                    RegistryException.BAD_SCHEMA,
                    "Invalid schema of type " + given.type() + ", details: " + e.message());
        }
    }

    // ---- deleting

    /** Deletes the subject's versions, for good if they are deleted already; returns which. */
    public Set<Integer> delete(Subject subject, boolean forGood) throws IOException, RegistryException {
        refuseIfReadOnly(subject);
        Set<Integer> there = subjects.versions(subject, true);
        SubjectSettings of = records.settings(subject.name());
        boolean isDeleted = of.hidden().containsAll(there);
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
            now.removeAll(of.hidden());
        }
        for (int version : now) {
            refuseIfReferenced(subject, version);
        }
        records.changeSettings(subject.name(), s -> forGood ? s.without(now) : s.hiding(now));
        return now;
    }

    /** Deletes a version, for good if it is deleted already. */
    public int delete(Subject subject, String version, boolean forGood) throws IOException, RegistryException {
        refuseIfReadOnly(subject);
        int wanted = subjects.version(subject, version, true).version();
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
        refuseIfReferenced(subject, wanted);
        records.changeSettings(subject.name(), s -> forGood ? s.without(Set.of(wanted)) : s.hiding(Set.of(wanted)));
        return wanted;
    }

    private void refuseIfReadOnly(Subject subject) throws IOException, RegistryException {
        if (settings.modeOf(subject) == RegistrySettings.Mode.READONLY) {
            throw notPermitted("Subject " + subject.name() + " is in read-only mode");
        }
    }

    private void refuseIfReferenced(Subject subject, int version) throws IOException, RegistryException {
        Set<Integer> referrers = referrers(subject, version);
        if (!referrers.isEmpty()) {
            throw new RegistryException(
                    RegistryException.REFERENCED,
                    "One or more references exist to the schema of subject '" + subject.name() + "', version " + version
                            + ": ids " + referrers);
        }
    }

    /** Ids of schemas that refer to a version and that a subject has. */
    public Set<Integer> referrers(Subject subject, String version) throws IOException, RegistryException {
        return referrers(subject, subjects.version(subject, version, true).version());
    }

    private Set<Integer> referrers(Subject subject, int version) throws IOException, RegistryException {
        Set<Integer> there = new TreeSet<>();
        for (int id : records.referrers(subject.name(), version)) {
            if (!placesOf(id, false).isEmpty()) {
                there.add(id);
            }
        }
        return there;
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
            throw noSchema(id);
        }
        return new Given(stored.type(), stored.schema(), stored.references());
    }

    private static RegistryException noSchema(int id) {
        return new RegistryException(RegistryException.NO_SCHEMA, "Schema " + id + " not found");
    }

    /** The text of a schema in a form that clients ask for by name. */
    public String in(String form, Given schema) throws IOException, RegistryException {
        return form.isEmpty() ? schema.schema() : parse(schema).schema().in(form);
    }

    /** The largest id that was given out; 0 if none was. */
    public int maxId() throws IOException {
        return records.maxId();
    }

    /** Subjects that have the schema now, each with its version. */
    public List<Registered> placesOf(int id, boolean hidden) throws IOException, RegistryException {
        Stored stored = records.find(id);
        if (stored == null) {
            throw noSchema(id);
        }
        List<Registered> places = new ArrayList<>();
        for (String name : new TreeSet<>(stored.subjects())) {
            places.addAll(subjects.versionsOf(id, stored, Subject.of(name), hidden));
        }
        return places;
    }

    // ---- settings

    /**
     * Sets a mode. Schemas are imported where there are none, unless it is forced.
     *
     * @param subject null for all that have no mode of their own
     * @param mode null to have none
     */
    public void setMode(@Nullable Subject subject, @Nullable String mode, boolean force)
            throws IOException, RegistryException {
        if (mode != null && !force && RegistrySettings.isForEmpty(mode)) {
            boolean isEmpty = subject == null
                    ? subjects.names(false).isEmpty()
                    : subjects.shown(subject, false).isEmpty();
            if (!isEmpty) {
                throw notPermitted("Cannot import since found existing subjects");
            }
        }
        settings.setMode(subject, mode);
    }
}
