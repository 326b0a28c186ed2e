package io.sluice.store.membership;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which node should serve which container, in the record {@code /sluice/assignment/containers}: {@code 1 <container>:<node> ...}. It says what
 * should be; leases and terms say what may be.
 *
 * @param nodes id of the node, by container; a container without a node is missing
 */
public record Assignment(Map<Integer, String> nodes) {
    /** Its changes are those of this record, and of who is the controller. */
    public static final String ROOT = "/sluice/assignment";

    public static final Assignment NONE = new Assignment(Map.of());

    private static final String PATH = ROOT + "/containers";
    private static final String FORMAT = "1";

    /** The record as it is stored. */
    public record Stored(Assignment assignment, long version) {}

    public Assignment {
        nodes = Map.copyOf(nodes);
    }

    public @Nullable String nodeOf(int container) {
        return nodes.get(container);
    }

    /** Containers that the node should serve, rising. */
    public Set<Integer> of(String node) {
        Set<Integer> own = new TreeSet<>();
        nodes.forEach((container, each) -> {
            if (each.equals(node)) {
                own.add(container);
            }
        });
        return own;
    }

    public static Stored read(Metadata metadata) throws IOException {
        Metadata.Versioned stored = metadata.get(PATH);
        return stored == null
                ? new Stored(NONE, Metadata.ABSENT)
                : new Stored(decode(stored.value()), stored.version());
    }

    /** @throws Metadata.VersionMismatch another controller was first */
    public void write(Metadata metadata, long expectedVersion) throws IOException {
        metadata.put(PATH, encode(), expectedVersion);
    }

    private byte[] encode() {
        var line = new StringBuilder(FORMAT);
        new TreeMap<>(nodes)
                .forEach((container, node) ->
                        line.append(' ').append(container).append(':').append(node));
        return line.toString().getBytes(UTF_8);
    }

    private static Assignment decode(byte[] bytes) throws IOException {
        String line = new String(bytes, UTF_8);
        String[] fields = line.split(" ", -1);
        if (!fields[0].equals(FORMAT)) {
            throw new IOException("not an assignment that this release can read: " + line);
        }
        Map<Integer, String> nodes = new TreeMap<>();
        try {
            for (int each = 1; each < fields.length; each++) {
                int colon = fields[each].indexOf(':');
                nodes.put(Integer.parseInt(fields[each].substring(0, colon)), fields[each].substring(colon + 1));
            }
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            throw new IOException("not an assignment: " + line, e);
        }
        return new Assignment(nodes);
    }
}
