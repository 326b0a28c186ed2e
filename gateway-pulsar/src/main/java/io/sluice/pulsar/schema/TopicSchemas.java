package io.sluice.pulsar.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.SchemaRecords;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.container.Tasks;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import org.apache.pulsar.common.api.proto.Schema;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schemas of each topic, by version from 0; one metadata record per topic, so they survive restarts and are the same
 * for every node: what is remembered of a record is forgotten when the store tells that it has changed, and the record is read again
 * before a schema is refused or not found. A schema that is there already keeps its version. Another becomes the next version if the topic's
 * {@link SchemaRules} let it (see {@link SchemaCompatibility}), and is refused if not. Versions of schemas that
 * are deleted do not come again while there is the topic.
 *
 * <p>Asking is done on virtual threads; answers come on them too.
 */
public final class TopicSchemas implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicSchemas.class);
    private static final int MAX_VERSIONS = 1_000;
    /** Maximum size of one topic's record, which is one value of the metadata store. */
    private static final int MAX_BYTES = 768 * 1024;

    private static final String TOO_LARGE = "the topic's schemas take more than " + MAX_BYTES + " bytes";

    private static final String NO_UPDATE = "Schema not found and schema auto updating is disabled.";

    /** Ends the name of the subject of a topic's values. */
    public static final String VALUES = "-value";

    private static final long CACHED_BYTES = 8L * 1024 * 1024;
    /** Bytes of a cached topic beside its record. */
    private static final int OVERHEAD = 512;

    /** A schema with its place among the topic's. */
    public record Versioned(Schema schema, long version) {}

    /** Answer to a question. */
    public sealed interface Answer {
        record Found(Versioned schema) implements Answer {}

        record None() implements Answer {}

        record Refused(String message) implements Answer {}

        record Unavailable(String message) implements Answer {}
    }

    /** How a schema agrees with those that are there. */
    public interface Comparison {
        /** Whether both mean the same, and so have one version. */
        boolean same(Schema a, Schema b);

        /**
         * Null, or why the schema cannot follow others.
         *
         * @param before oldest first
         */
        @Nullable
        String whyNotFollow(List<Schema> before, Schema next);
    }

    /** By a topic's rules, as Pulsar has them. */
    private record ByRules(SchemaRules rules) implements Comparison {
        @Override
        public boolean same(Schema a, Schema b) {
            return SchemaCompatibility.same(a, b);
        }

        @Override
        public @Nullable String whyNotFollow(List<Schema> before, Schema next) {
            if (!rules.autoUpdate()) {
                return NO_UPDATE;
            }
            String malformed = SchemaCompatibility.malformed(next);
            return malformed != null ? malformed : SchemaCompatibility.againstFollowing(before, next, rules.strategy());
        }
    }

    /** Called once. */
    public interface Reply {
        void answer(Answer answer);
    }

    /** @param bytes of the record */
    private record Known(SchemaRecord record, long recordVersion, int bytes) {
        List<Schema> schemas() {
            return record.schemas();
        }

        /** Oldest first. */
        List<Schema> without(Set<Long> versions) {
            return versions.isEmpty()
                    ? schemas()
                    : IntStream.range(0, schemas().size())
                            .filter(i -> !versions.contains(record.first() + i))
                            .mapToObj(schemas()::get)
                            .toList();
        }

        Versioned at(int index) {
            return new Versioned(schemas().get(index), record.first() + index);
        }

        Versioned newest() {
            return at(schemas().size() - 1);
        }
    }

    private final Metadata metadata;
    private final SchemaRecords records;
    private final TopicCatalogue topics;
    private final Tasks tasks;
    /** Least recently used first. */
    private final LinkedHashMap<UUID, Known> cache = new LinkedHashMap<>(16, 0.75f, true);

    private final Metadata.Watch watch;
    private long cachedBytes;
    /** Rises when records may have changed. */
    private long changes;

    /** @param topics removes a topic's schemas when it deletes the topic */
    public TopicSchemas(Metadata metadata, TopicCatalogue topics, Tasks tasks) {
        this.metadata = metadata;
        this.records = new SchemaRecords(metadata);
        this.topics = topics;
        this.tasks = tasks;
        this.watch = SchemaRecords.watch(metadata, new SchemaRecords.Watcher() {
            @Override
            public void changed(UUID topic) {
                forget(topic);
            }

            @Override
            public void missed() {
                forgetAll();
            }
        });
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    /** Id under which the schemas of a topic are kept whose messages are not; it is made of the name. */
    public static UUID ofNonPersistent(TopicName topic) {
        String text = PulsarNames.ofNonPersistent(new PulsarNames.Parsed(topic, -1));
        return UUID.nameUUIDFromBytes(text.getBytes(UTF_8));
    }

    /** Id under which the schemas of a subject are kept that is no topic's; it is made of the name. */
    public static UUID ofSubject(String subject) {
        return UUID.nameUUIDFromBytes(("subject:" + subject).getBytes(UTF_8));
    }

    /** Ids of topics that have schemas. Blocks. */
    public List<UUID> topics() throws IOException {
        return records.all().stream().filter(id -> !SchemaRecords.isOfName(id)).toList();
    }

    /** Parses an Avro schema as it is stored. */
    public static org.apache.avro.Schema avro(byte[] data) {
        return new SchemaPart(Schema.Type.Avro, data, Map.of()).avro();
    }

    /** The schema of this version, or the newest if {@code version} is negative. */
    public void find(UUID topic, long version, Reply reply) {
        run("read schema", reply, () -> {
            Answer known = find(load(topic), version);
            return known instanceof Answer.None ? find(read(topic), version) : known;
        });
    }

    private static Answer find(Known known, long version) {
        long at = version < 0
                ? known.schemas().size() - 1L
                : version - known.record().first();
        return at < 0 || at >= known.schemas().size() ? new Answer.None() : new Answer.Found(known.at((int) at));
    }

    /** All that are not deleted, by their versions. Blocks. */
    public List<Versioned> all(UUID topic) throws IOException {
        Known known = read(topic);
        return IntStream.range(0, known.schemas().size()).mapToObj(known::at).toList();
    }

    /** Null, or why it is no schema of its type. */
    public static @Nullable String malformed(Schema schema) {
        return SchemaCompatibility.malformed(schema);
    }

    /** Finds the version of {@code schema}, which it gets now if it has none and the rules let it. */
    public void register(UUID topic, Schema schema, SchemaRules rules, Reply reply) {
        run("register schema", reply, () -> register(topic, schema, rules));
    }

    /**
     * Lets a consumer's schema in: it must read what is written, or becomes the topic's if there is none.
     *
     * @param mayGiveFirst false where the topic stays without one
     */
    public void admitReader(UUID topic, boolean mayGiveFirst, Schema schema, SchemaRules rules, Reply reply) {
        run("check schema", reply, () -> {
            Known known = load(topic);
            String why = SchemaCompatibility.againstReading(known.schemas(), schema, rules.strategy());
            if (why != null) {
                known = read(topic);
                why = SchemaCompatibility.againstReading(known.schemas(), schema, rules.strategy());
            }
            if (known.schemas().isEmpty() && !mayGiveFirst) {
                return new Answer.None();
            }
            if (known.schemas().isEmpty() || schema.getSchemaDataSize() > MAX_BYTES) {
                return register(topic, schema, rules);
            }
            return why == null ? new Answer.Found(known.newest()) : new Answer.Refused(why);
        });
    }

    /**
     * Finds the version of a schema, which it gets now if it has none and may follow those that are there. Blocks.
     *
     * @param disregarded versions that it need not agree with
     */
    public Answer registerNow(UUID topic, Schema schema, Comparison comparison, Set<Long> disregarded)
            throws IOException {
        if (schema.getSchemaDataSize() > MAX_BYTES) {
            return new Answer.Refused(TOO_LARGE);
        }
        Answer answer;
        do {
            answer = register(topic, read(topic), schema, comparison, disregarded);
        } while (answer == null);
        return answer;
    }

    /** Null, or why the schema cannot follow those of the topic. Blocks. */
    public @Nullable String whyNotFollow(UUID topic, Schema schema, SchemaRules rules) throws IOException {
        String malformed = malformed(schema);
        return malformed != null
                ? malformed
                : SchemaCompatibility.againstFollowing(read(topic).schemas(), schema, rules.strategy());
    }

    /** Version of a schema of the topic, -1 if it has none. Blocks. */
    public long versionOf(UUID topic, Schema schema) throws IOException {
        Known known = read(topic);
        int there = indexOf(known.schemas(), schema, new ByRules(SchemaRules.STANDARD));
        return there < 0 ? -1 : known.at(there).version();
    }

    /**
     * Deletes the topic's schemas: none of their versions is found or given out again. Blocks.
     *
     * @return the version that says so; the next schema's is the one after it
     */
    public long delete(UUID topic) throws IOException {
        while (true) {
            Known known = read(topic);
            if (put(topic, known, known.record().deleted()) != null) {
                removeIfGone(topic);
                return known.record().next();
            }
        }
    }

    /**
     * Removes the topic's schemas as if there had been none: the next one's version is 0. The record stays: in another one under its path
     * a version could be taken for one of this. Blocks.
     */
    public void wipe(UUID topic) throws IOException {
        metadata.putLast(SchemaRecords.path(topic), SchemaRecord.NONE.encode());
        forget(topic);
        removeIfGone(topic);
    }

    private interface Question {
        Answer ask() throws IOException;
    }

    private void run(String what, Reply reply, Question question) {
        tasks.start(what, () -> {
            Answer answer;
            try {
                answer = question.ask();
            } catch (IOException | RuntimeException e) {
                LOG.warn("{}: {}", what, e.toString());
                answer = new Answer.Unavailable("schemas are not available now");
            }
            reply.answer(answer);
        });
    }

    private Answer register(UUID topic, Schema schema, SchemaRules rules) throws IOException {
        if (schema.getSchemaDataSize() > MAX_BYTES) {
            return new Answer.Refused(TOO_LARGE);
        }
        Answer answer = register(topic, load(topic), schema, rules);
        if (answer instanceof Answer.Refused) {
            answer = register(topic, read(topic), schema, rules);
        }
        while (answer == null) {
            answer = register(topic, read(topic), schema, rules);
        }
        return answer;
    }

    private @Nullable Answer register(UUID topic, Known known, Schema schema, SchemaRules rules) throws IOException {
        return register(topic, known, schema, new ByRules(rules), Set.of());
    }

    /** Null if another writer was first. */
    private @Nullable Answer register(
            UUID topic, Known known, Schema schema, Comparison comparison, Set<Long> disregarded) throws IOException {
        int there = indexOf(known.schemas(), schema, comparison);
        if (there >= 0) {
            return new Answer.Found(known.at(there));
        }
        if (known.bytes() + schema.getSerializedSize() > MAX_BYTES) {
            return new Answer.Refused(TOO_LARGE);
        }
        String why = comparison.whyNotFollow(known.without(disregarded), schema);
        if (why != null) {
            return new Answer.Refused(why);
        }
        if (known.schemas().size() >= MAX_VERSIONS) {
            return new Answer.Refused("the topic has " + MAX_VERSIONS + " schema versions already");
        }
        Known next = put(topic, known, known.record().with(schema));
        if (next == null) {
            return null;
        }
        return removeIfGone(topic) ? new Answer.Unavailable("the topic was deleted") : new Answer.Found(next.newest());
    }

    /** The topic's deletion may have looked for schemas before the last one was written. */
    private boolean removeIfGone(UUID topic) throws IOException {
        if (SchemaRecords.isOfName(topic) || topics.find(topic) != null) {
            return false;
        }
        records.delete(topic);
        forget(topic);
        return true;
    }

    /** Null if another writer was first. */
    private @Nullable Known put(UUID topic, Known known, SchemaRecord record) throws IOException {
        try {
            byte[] encoded = record.encode();
            long before = changes();
            long version = metadata.put(SchemaRecords.path(topic), encoded, known.recordVersion());
            Known next = new Known(record, version, encoded.length);
            remember(topic, next, before);
            return next;
        } catch (Metadata.VersionMismatch e) {
            forget(topic);
            return null;
        }
    }

    private static int indexOf(List<Schema> schemas, Schema schema, Comparison comparison) {
        int there = indexWhere(schemas, schema, SchemaCompatibility::identical);
        return there >= 0 ? there : indexWhere(schemas, schema, comparison::same);
    }

    private static int indexWhere(List<Schema> schemas, Schema schema, BiPredicate<Schema, Schema> equal) {
        for (int i = 0; i < schemas.size(); i++) {
            if (equal.test(schemas.get(i), schema)) {
                return i;
            }
        }
        return -1;
    }

    /** The schema's own properties. */
    public static Map<String, String> properties(Schema schema) {
        return SchemaPart.properties(schema);
    }

    private Known load(UUID topic) throws IOException {
        synchronized (cache) {
            Known known = cache.get(topic);
            if (known != null) {
                return known;
            }
        }
        return read(topic);
    }

    private Known read(UUID topic) throws IOException {
        long before = changes();
        Metadata.Versioned stored = metadata.get(SchemaRecords.path(topic));
        if (stored == null) {
            forget(topic);
            return ofValues(topic);
        }
        Known known = new Known(SchemaRecord.decode(stored.value()), stored.version(), stored.value().length);
        remember(topic, known, before);
        return known;
    }

    /** Schemas of a topic without a record: those that were registered for its subject before there was the topic. */
    private Known ofValues(UUID id) throws IOException {
        Topic topic = SchemaRecords.isOfName(id) ? null : topics.find(id);
        String name = topic == null ? null : KafkaNames.of(topic.name());
        Metadata.Versioned stored = name == null ? null : metadata.get(SchemaRecords.path(ofSubject(name + VALUES)));
        return stored == null
                ? new Known(SchemaRecord.NONE, Metadata.ABSENT, 0)
                : new Known(SchemaRecord.decode(stored.value()), Metadata.ABSENT, stored.value().length);
    }

    private long changes() {
        synchronized (cache) {
            return changes;
        }
    }

    /** @param before changes that were told when its read or write began: what was told since may not be in it */
    private void remember(UUID topic, Known known, long before) {
        synchronized (cache) {
            if (before != changes) {
                return;
            }
            drop(topic);
            cache.put(topic, known);
            cachedBytes += known.bytes() + OVERHEAD;
            while (cachedBytes > CACHED_BYTES) {
                cachedBytes -= cache.pollFirstEntry().getValue().bytes() + OVERHEAD;
            }
        }
    }

    private void drop(UUID topic) {
        Known known = cache.remove(topic);
        if (known != null) {
            cachedBytes -= known.bytes() + OVERHEAD;
        }
    }

    private void forget(UUID topic) {
        synchronized (cache) {
            changes++;
            drop(topic);
        }
    }

    private void forgetAll() {
        synchronized (cache) {
            changes++;
            cache.clear();
            cachedBytes = 0;
        }
    }
}
