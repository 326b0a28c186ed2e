package io.sluice.store.membership;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Value of {@code /sluice/nodes/<node>}, lines of text. Each write of it, changed or not, renews the node's lease.
 *
 * <pre>
 *   1 &lt;incarnation&gt; &lt;state&gt; &lt;lease, ms&gt;
 *   &lt;fact&gt; &lt;value&gt;                          any number, by name: version, rack, endpoints, load
 * </pre>
 *
 * @param lease how long the node is taken for alive after the record was written
 * @param facts names without white space; values of one line
 */
public record NodeRecord(UUID incarnation, State state, Duration lease, Map<String, String> facts) {
    private static final String FORMAT = "1";

    /** Stage of the life of the node's process. */
    public enum State {
        /** It begins: containers are assigned to it only if no other node takes them. */
        STARTING,
        /** It serves what is assigned to it. */
        UP,
        /** It is about to stop: nothing is to be assigned to it. */
        DRAINING,
        /** It has stopped in good order. */
        DOWN
    }

    public NodeRecord {
        facts = Map.copyOf(facts);
        for (Map.Entry<String, String> each : facts.entrySet()) {
            if (each.getKey().isEmpty()
                    || each.getKey().chars().anyMatch(Character::isWhitespace)
                    || each.getValue().chars().anyMatch(c -> c == '\n' || c == '\r')) {
                throw new IllegalArgumentException("not a fact of one line: " + each);
            }
        }
    }

    byte[] encode() {
        var text = new StringBuilder(FORMAT + " " + incarnation + " " + state + " " + lease.toMillis());
        new TreeMap<>(facts)
                .forEach((name, value) ->
                        text.append('\n').append(name).append(' ').append(value));
        return text.toString().getBytes(UTF_8);
    }

    static NodeRecord decode(byte[] bytes) throws IOException {
        String[] lines = new String(bytes, UTF_8).split("\n", -1);
        String[] first = lines[0].split(" ", -1);
        if (first.length != 4 || !first[0].equals(FORMAT)) {
            throw new IOException("not a node that this release can read: " + lines[0]);
        }
        Map<String, String> facts = new TreeMap<>();
        for (int line = 1; line < lines.length; line++) {
            int space = lines[line].indexOf(' ');
            if (space < 1) {
                throw new IOException("not a fact of a node: " + lines[line]);
            }
            facts.put(lines[line].substring(0, space), lines[line].substring(space + 1));
        }
        try {
            return new NodeRecord(
                    UUID.fromString(first[1]),
                    State.valueOf(first[2]),
                    Duration.ofMillis(Long.parseLong(first[3])),
                    facts);
        } catch (IllegalArgumentException e) {
            throw new IOException("not a node: " + lines[0], e);
        }
    }
}
