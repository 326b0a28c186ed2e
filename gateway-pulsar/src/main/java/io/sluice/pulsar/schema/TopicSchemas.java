package io.sluice.pulsar.schema;

import io.sluice.store.cluster.Metadata;
import io.sluice.store.container.Tasks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.pulsar.common.api.proto.Schema;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schemas of each topic, by version from 0; one metadata record per topic, so they survive restarts and are the same
 * for every node. A schema that is there already keeps its version. Another of the same type becomes the next version
 * without a look at whether it is compatible (Pulsar's policy {@code ALWAYS_COMPATIBLE}); one of another type is refused.
 *
 * <p>Asking is done on virtual threads; answers come on them too.
 */
public final class TopicSchemas {
    private static final Logger LOG = LoggerFactory.getLogger(TopicSchemas.class);
    private static final String ROOT = "/sluice/pulsar/schemas/";
    private static final int MAX_VERSIONS = 1_000;
    private static final int MAX_BYTES = 512 * 1024;
    private static final int CACHED = 1_000;

    /** A schema with its place among the topic's. */
    public record Versioned(Schema schema, long version) {}

    /** Answer to a question. */
    public sealed interface Answer {
        record Found(Versioned schema) implements Answer {}

        record None() implements Answer {}

        record Refused(String message) implements Answer {}

        record Unavailable(String message) implements Answer {}
    }

    /** Called once. */
    public interface Reply {
        void answer(Answer answer);
    }

    private record Known(List<Schema> schemas, long recordVersion) {}

    private final Metadata metadata;
    private final Tasks tasks;
    /** Least recently used first. */
    private final LinkedHashMap<UUID, Known> cache = new LinkedHashMap<>(16, 0.75f, true);

    public TopicSchemas(Metadata metadata, Tasks tasks) {
        this.metadata = metadata;
        this.tasks = tasks;
    }

    /** The schema of this version, or the newest if {@code version} is negative. */
    public void find(UUID topic, long version, Reply reply) {
        run("read schema", reply, () -> {
            List<Schema> schemas = load(topic).schemas();
            long at = version < 0 ? schemas.size() - 1L : version;
            return at < 0 || at >= schemas.size()
                    ? new Answer.None()
                    : new Answer.Found(new Versioned(schemas.get((int) at), at));
        });
    }

    /** All versions, from 0. Blocks. */
    public List<Schema> all(UUID topic) throws IOException {
        return load(topic).schemas();
    }

    /** Finds the version of {@code schema}, which it gets now if it has none. */
    public void register(UUID topic, Schema schema, Reply reply) {
        run("register schema", reply, () -> register(topic, schema));
    }

    /** Forgets the topic's schemas. */
    public void delete(UUID topic, Reply reply) {
        run("delete schemas", reply, () -> {
            Metadata.Versioned stored = metadata.get(ROOT + topic);
            if (stored != null) {
                metadata.delete(ROOT + topic, stored.version());
            }
            forget(topic);
            return new Answer.None();
        });
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

    private Answer register(UUID topic, Schema schema) throws IOException {
        if (schema.getSchemaDataSize() > MAX_BYTES) {
            return new Answer.Refused("the schema is larger than " + MAX_BYTES + " bytes");
        }
        while (true) {
            Known known = load(topic);
            int there = indexOf(known.schemas(), schema);
            if (there >= 0) {
                return new Answer.Found(new Versioned(known.schemas().get(there), there));
            }
            if (!known.schemas().isEmpty() && known.schemas().getLast().getType() != schema.getType()) {
                return new Answer.Refused("the topic's schema is of type "
                        + known.schemas().getLast().getType() + ", not " + schema.getType());
            }
            if (known.schemas().size() >= MAX_VERSIONS) {
                return new Answer.Refused("the topic has " + MAX_VERSIONS + " schema versions already");
            }
            Known next = append(topic, known, schema);
            if (next != null) {
                long version = next.schemas().size() - 1L;
                return new Answer.Found(new Versioned(schema, version));
            }
        }
    }

    /** Null if somebody else wrote first. */
    private @Nullable Known append(UUID topic, Known known, Schema schema) throws IOException {
        List<Schema> schemas = new ArrayList<>(known.schemas());
        schemas.add(schema);
        try {
            long version = metadata.put(ROOT + topic, SchemaRecord.encode(schemas), known.recordVersion());
            Known next = new Known(List.copyOf(schemas), version);
            remember(topic, next);
            return next;
        } catch (Metadata.VersionMismatch e) {
            forget(topic);
            return null;
        }
    }

    private static int indexOf(List<Schema> schemas, Schema schema) {
        for (int i = 0; i < schemas.size(); i++) {
            Schema s = schemas.get(i);
            if (s.getType() == schema.getType()
                    && Arrays.equals(s.getSchemaData(), schema.getSchemaData())
                    && properties(s).equals(properties(schema))) {
                return i;
            }
        }
        return -1;
    }

    /** The schema's own properties. */
    public static Map<String, String> properties(Schema schema) {
        Map<String, String> p = new LinkedHashMap<>();
        for (int i = 0; i < schema.getPropertiesCount(); i++) {
            p.put(schema.getPropertyAt(i).getKey(), schema.getPropertyAt(i).getValue());
        }
        return p;
    }

    private Known load(UUID topic) throws IOException {
        synchronized (cache) {
            Known known = cache.get(topic);
            if (known != null) {
                return known;
            }
        }
        Metadata.Versioned stored = metadata.get(ROOT + topic);
        if (stored == null) {
            return new Known(List.of(), Metadata.ABSENT);
        }
        Known known = new Known(SchemaRecord.decode(stored.value()), stored.version());
        remember(topic, known);
        return known;
    }

    private void remember(UUID topic, Known known) {
        synchronized (cache) {
            cache.put(topic, known);
            if (cache.size() > CACHED) {
                cache.pollFirstEntry();
            }
        }
    }

    private void forget(UUID topic) {
        synchronized (cache) {
            cache.remove(topic);
        }
    }
}
