package io.sluice.broker.topic;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where the metadata has what belongs to a topic's name: {@code root/tenant/namespace/local}. */
public final class TopicPath {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private TopicPath() {}

    public static String of(String root, TopicName name) {
        return ofNamespace(root, name.tenant(), name.namespace()) + "/" + escape(name.local());
    }

    /** Where the metadata has what belongs to a namespace. */
    static String ofNamespace(String root, String tenant, String namespace) {
        return root + "/" + escape(tenant) + "/" + escape(namespace);
    }

    /** The name whose path it is; null if no topic's path looks so. */
    public static @Nullable TopicName nameOf(String root, String path) {
        String[] parts = path.substring(root.length() + 1).split("/", -1);
        try {
            return parts.length == 3 ? new TopicName(unescape(parts[0]), unescape(parts[1]), unescape(parts[2])) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Names of all topics that have a record there; blocks. */
    public static List<TopicName> namesUnder(Metadata metadata, String root) throws IOException {
        List<TopicName> names = new ArrayList<>();
        for (String tenant : metadata.children(root)) {
            for (String namespace : metadata.children(root + "/" + tenant)) {
                addChildren(metadata, root, root + "/" + tenant + "/" + namespace, names);
            }
        }
        return names;
    }

    /** Names of the namespace's topics that have a record there; blocks. */
    static List<TopicName> namesIn(Metadata metadata, String root, String tenant, String namespace) throws IOException {
        List<TopicName> names = new ArrayList<>();
        addChildren(metadata, root, ofNamespace(root, tenant, namespace), names);
        return names;
    }

    private static void addChildren(Metadata metadata, String root, String parent, List<TopicName> names)
            throws IOException {
        for (String local : metadata.children(parent)) {
            TopicName name = nameOf(root, parent + "/" + local);
            if (name != null) {
                names.add(name);
            }
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
