package io.sluice.conversion;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Schemas of one topic, by the ids that its registry gave them and by the versions that Pulsar's clients know; and what conversion is to do with
 * them. Another object stands for other schemas: converted entries are kept with the one that they were made by.
 */
public final class TopicPrefixes {
    /** Nothing is changed. */
    public static final TopicPrefixes NONE = new TopicPrefixes(Use.KEEP, List.of());

    private static final long NO_VERSION = -1;

    /** Directions in which a topic's contents are changed. */
    public enum Use {
        KEEP,
        FOR_PULSAR,
        FOR_BOTH
    }

    /**
     * A schema with an id.
     *
     * @param version of the topic; below 0 if Pulsar's clients cannot read by it
     * @param path place of its message in a Protobuf file, from the file's message inwards; empty for other types
     */
    public record Known(int id, long version, List<Integer> path) {
        public Known {
            path = List.copyOf(path);
        }
    }

    /** A prefix that a value has, of a schema of the topic. */
    record Found(SchemaPrefix prefix, byte @Nullable [] version) {}

    private final Use use;
    private final List<Known> schemas;
    private final Map<Integer, List<Known>> byId = new HashMap<>();
    private final Map<Long, SchemaPrefix> byVersion = new HashMap<>();
    private final UnknownNumbers unknown = new UnknownNumbers();

    /** @param schemas oldest first */
    public TopicPrefixes(Use use, List<Known> schemas) {
        this.use = use;
        this.schemas = List.copyOf(schemas);
        for (Known each : schemas) {
            // a later version comes first
            byId.computeIfAbsent(each.id(), _ -> new ArrayList<>()).addFirst(each);
            if (each.version() >= 0) {
                byte[] index = each.path().isEmpty() ? new byte[0] : MessageIndex.write(each.path());
                byVersion.put(each.version(), new SchemaPrefix(each.id(), index));
            }
        }
    }

    /** Whether it stands for the same. */
    public boolean isSame(TopicPrefixes other) {
        return use == other.use && schemas.equals(other.schemas);
    }

    /** How many schemas there are. */
    public int size() {
        return schemas.size();
    }

    public Use use() {
        return use;
    }

    /** The prefix that a value begins with; null if it begins with none of this topic's schemas. */
    @Nullable
    Found find(ByteBuffer value) {
        int id = SchemaPrefix.idOf(value);
        for (Known each : id == 0 ? List.<Known>of() : byId.getOrDefault(id, List.of())) {
            byte[] index = each.path().isEmpty()
                    ? new byte[0]
                    : MessageIndex.find(value, value.position() + SchemaPrefix.SIZE, each.path());
            if (index != null) {
                return new Found(new SchemaPrefix(id, index), versionBytes(each.version()));
            }
        }
        return null;
    }

    /** Prefix of the schema of a version; null if it has none. */
    @Nullable
    SchemaPrefix ofVersion(long version) {
        return byVersion.get(version);
    }

    /** As Pulsar's clients know a version; null for none. */
    private static byte @Nullable [] versionBytes(long version) {
        return version <= NO_VERSION
                ? null
                : ByteBuffer.allocate(Long.BYTES).putLong(version).array();
    }

    /** The version that Pulsar's clients call so; -1 if it is none of ours. */
    static long version(byte[] bytes) {
        return bytes.length == Long.BYTES
                ? Math.max(NO_VERSION, ByteBuffer.wrap(bytes).getLong())
                : NO_VERSION;
    }

    /** Whether the schemas are to be read again for an id that is not among them: it may be new. */
    boolean mayHave(int id) {
        return !byId.containsKey(id) && unknown.isToBeAsked(id);
    }

    /** Whether they are to be read again for a version that has no prefix. */
    boolean mayHaveVersion(long version) {
        return !byVersion.containsKey(version) && unknown.isToBeAsked(~version);
    }
}
