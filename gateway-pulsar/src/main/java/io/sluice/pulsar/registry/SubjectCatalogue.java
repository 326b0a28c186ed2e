package io.sluice.pulsar.registry;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.conversion.TopicPrefixes;
import io.sluice.pulsar.registry.RegistryRecords.Stored;
import io.sluice.pulsar.registry.format.ParsedSchema;
import io.sluice.pulsar.registry.format.SchemaTypes;
import io.sluice.pulsar.schema.ProtobufDescriptors;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.schema.TopicSchemas.Versioned;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.pulsar.common.api.proto.Schema;
import org.jspecify.annotations.Nullable;

/** Subjects with their schemas, as they are. Blocking. */
public final class SubjectCatalogue {
    private final RegistryRecords records;
    private final TopicSchemas schemas;
    private final TopicCatalogue topics;
    private final ParsedSchemas parsed;

    SubjectCatalogue(RegistryRecords records, TopicSchemas schemas, TopicCatalogue topics, ParsedSchemas parsed) {
        this.parsed = parsed;
        this.records = records;
        this.schemas = schemas;
        this.topics = topics;
    }

    UUID placeOf(Subject subject) {
        Topic topic = subject.isOfValues() ? topics.find(subject.topic()) : null;
        return topic == null || topic.internal() ? TopicSchemas.ofSubject(subject.name()) : topic.id();
    }

    TreeMap<Integer, Schema> shown(Subject subject, boolean hidden) throws IOException {
        return shown(subject, records.settings(subject.name()), hidden);
    }

    /** Schemas of the subject by version: those that this registry has a text for. */
    private TreeMap<Integer, Schema> shown(Subject subject, SubjectSettings of, boolean hidden) throws IOException {
        TreeMap<Integer, Schema> shown = new TreeMap<>();
        for (Versioned each : schemas.all(placeOf(subject))) {
            int version = (int) each.version() + 1;
            boolean isGone = of.gone().contains(version) || !hidden && of.isDeleted(version);
            if (!isGone && SchemaTypes.isKept(each.schema()) && hasText(each.schema(), of)) {
                shown.put(version, each.schema());
            }
        }
        return shown;
    }

    private boolean hasText(Schema schema, SubjectSettings of) {
        if (schema.getType() == Schema.Type.Avro || of.ids().containsKey(ParsedSchemas.hash(schema))) {
            return true;
        }
        ParsedSchema read = parsed.read(schema);
        return read != null && read.standsAlone();
    }

    TreeMap<Integer, Schema> existing(Subject subject, boolean hidden) throws IOException, RegistryException {
        TreeMap<Integer, Schema> shown = shown(subject, hidden);
        if (shown.isEmpty()) {
            throw new RegistryException(RegistryException.NO_SUBJECT, "Subject '" + subject.name() + "' not found.");
        }
        return shown;
    }

    /** Names of subjects that have a schema; those of topics that only Pulsar clients have used, too. */
    public List<String> names(boolean hidden) throws IOException {
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
        TreeMap<Integer, Schema> there = existing(subject, hidden);
        int wanted = numberOf(version, there.lastKey());
        Schema schema = there.get(wanted);
        if (schema == null) {
            throw new RegistryException(RegistryException.NO_VERSION, "Version " + wanted + " not found.");
        }
        return registered(subject, wanted, schema);
    }

    /**
     * Schemas of a subject, oldest first; none if there is no such subject.
     *
     * @param latestOnly the newest alone
     */
    public List<Registered> all(Subject subject, boolean hidden, boolean latestOnly)
            throws IOException, RegistryException {
        SubjectSettings of = records.settings(subject.name());
        TreeMap<Integer, Schema> there = shown(subject, of, hidden);
        List<Registered> all = new ArrayList<>();
        for (Map.Entry<Integer, Schema> each :
                (latestOnly && !there.isEmpty() ? there.tailMap(there.lastKey()) : there).entrySet()) {
            all.add(registered(subject, of, each.getKey(), each.getValue()));
        }
        return all;
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

    /** The schema as it was registered here, or, if a Pulsar client did so, as it reads. */
    Registered registered(Subject subject, int version, Schema stored) throws IOException, RegistryException {
        return registered(subject, records.settings(subject.name()), version, stored);
    }

    private Registered registered(Subject subject, SubjectSettings of, int version, Schema stored)
            throws IOException, RegistryException {
        Integer id = of.ids().get(ParsedSchemas.hash(stored));
        Stored known = id == null ? null : records.find(id);
        if (id != null && known != null) {
            return new Registered(subject, id, version, known.type(), known.schema(), known.references());
        }
        ParsedSchema read = parsed.read(stored);
        if (read == null) {
            throw new RegistryException(RegistryException.NO_VERSION, "Version " + version + " not found.");
        }
        return new Registered(subject, ownId(read, subject), version, read.type(), read.text(), new JsonArray());
    }

    /** Id of a schema that was not registered here; it gets one now if it has none. */
    private int ownId(ParsedSchema read, Subject subject) throws IOException {
        Stored alone = new Stored(read.type(), read.text(), new JsonArray(), Set.of(subject.name()));
        return records.idOf(read.key(), alone, subject.name());
    }

    /** Versions of a subject that have a schema's id. */
    List<Registered> versionsOf(int id, Stored schema, Subject subject, boolean hidden) throws IOException {
        SubjectSettings of = records.settings(subject.name());
        List<Registered> versions = new ArrayList<>();
        for (Map.Entry<Integer, Schema> each : shown(subject, of, hidden).entrySet()) {
            Integer known = of.ids().get(ParsedSchemas.hash(each.getValue()));
            if ((known == null ? idOfAlone(each.getValue()) : known) == id) {
                versions.add(new Registered(
                        subject, id, each.getKey(), schema.type(), schema.schema(), schema.references()));
            }
        }
        return versions;
    }

    /** Id of a schema that was not registered here; 0 if it has none yet. */
    private int idOfAlone(Schema stored) throws IOException {
        ParsedSchema read = parsed.read(stored);
        return read == null ? 0 : records.findId(read.key(), new JsonArray());
    }

    /**
     * Schemas of a topic that have an id, oldest first, also such as were deleted here: there are messages that name them.
     *
     * @param subject of the topic
     * @param all whether those get an id that have none yet
     */
    List<TopicPrefixes.Known> prefixes(Subject subject, UUID topic, boolean all) throws IOException {
        SubjectSettings of = records.settings(subject.name());
        List<TopicPrefixes.Known> prefixes = new ArrayList<>();
        for (Versioned each : schemas.all(topic)) {
            Schema schema = each.schema();
            ParsedSchema read = SchemaTypes.isKept(schema) ? parsed.read(schema) : null;
            if (read == null) {
                continue;
            }
            Integer known = of.ids().get(ParsedSchemas.hash(schema));
            int id = known != null ? known : all && read.standsAlone() ? ownId(read, subject) : idOfAlone(schema);
            if (id > 0) {
                prefixes.add(prefix(id, each));
            }
        }
        return prefixes;
    }

    private static TopicPrefixes.Known prefix(int id, Versioned of) {
        Schema schema = of.schema();
        return switch (schema.getType()) {
            case ProtobufNative ->
                new TopicPrefixes.Known(id, of.version(), ProtobufDescriptors.rootPath(schema.getSchemaData()));
            // none that Pulsar's clients could read by
            case External -> new TopicPrefixes.Known(id, -1, List.of());
            default -> new TopicPrefixes.Known(id, of.version(), List.of());
        };
    }

    /** The newest of some schemas of a subject that means the same; null if none does. */
    @Nullable
    Registered find(Subject subject, ParsedSchema schema, TreeMap<Integer, Schema> there)
            throws IOException, RegistryException {
        TopicSchemas.Comparison comparison = CompatibilityLevel.NONE.comparing(schema, parsed);
        Schema form = schema.stored(subject.name());
        for (Map.Entry<Integer, Schema> each : there.descendingMap().entrySet()) {
            if (comparison.same(each.getValue(), form)) {
                return registered(subject, each.getKey(), each.getValue());
            }
        }
        return null;
    }
}
