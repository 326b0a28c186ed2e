package io.sluice.broker.topic;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Topic records under {@code /sluice/topics/<tenant>/<namespace>/<local>}. Blocking. */
final class TopicStore {
    static final String ROOT = "/sluice/topics";
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final Metadata metadata;

    TopicStore(Metadata metadata) {
        this.metadata = metadata;
    }

    /** A record and the version to expect when replacing it. */
    record Stored(TopicRecord record, long version) {}

    List<Stored> all() throws IOException {
        List<Stored> found = new ArrayList<>();
        for (String tenant : metadata.children(ROOT)) {
            for (String namespace : metadata.children(ROOT + "/" + tenant)) {
                String parent = ROOT + "/" + tenant + "/" + namespace;
                for (String local : metadata.children(parent)) {
                    Stored stored = read(parent + "/" + local);
                    if (stored != null) {
                        found.add(stored);
                    }
                }
            }
        }
        return found;
    }

    @Nullable
    Stored find(TopicName name) throws IOException {
        return read(path(name));
    }

    private @Nullable Stored read(String path) throws IOException {
        Metadata.Versioned value = metadata.get(path);
        return value == null ? null : new Stored(TopicRecord.decode(value.value()), value.version());
    }

    /**
     * Also when the metadata client has sent the put twice, so that the second try found what the first had written: a record
     * has the id of its topic, which nobody else made.
     */
    Stored put(TopicRecord record, long expectedVersion) throws IOException {
        String path = path(record.topic().name());
        byte[] bytes = record.encode();
        try {
            return new Stored(record, metadata.put(path, bytes, expectedVersion));
        } catch (Metadata.VersionMismatch e) {
            Metadata.Versioned stored = metadata.get(path);
            if (stored != null && Arrays.equals(stored.value(), bytes)) {
                return new Stored(record, stored.version());
            }
            throw e;
        }
    }

    void remove(Stored stored) throws IOException {
        metadata.delete(path(stored.record().topic().name()), stored.version());
    }

    private static String path(TopicName name) {
        return ROOT + "/" + escape(name.tenant()) + "/" + escape(name.namespace()) + "/" + escape(name.local());
    }

    /** The topic whose record has the path; null if a topic's path does not look so. */
    static @Nullable TopicName nameOf(String path) {
        String[] parts = path.substring(ROOT.length() + 1).split("/", -1);
        try {
            return parts.length == 3 ? new TopicName(unescape(parts[0]), unescape(parts[1]), unescape(parts[2])) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static String unescape(String part) {
        return URLDecoder.decode(part, StandardCharsets.UTF_8);
    }

    /** Path elements have letters, digits, minus, underscore and, not in front, dots; everything else is {@code %XX}. */
    private static String escape(String part) {
        StringBuilder out = new StringBuilder();
        for (byte b : part.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean kept = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_';
            if (kept || c == '.' && !out.isEmpty()) {
                out.append(c);
            } else {
                HEX.toHexDigits(out.append('%'), b);
            }
        }
        return out.toString();
    }
}
