package io.sluice.store.cluster;

import java.io.IOException;
import java.util.regex.Pattern;

/** Looks at records of this room without changing them. */
public final class StoredRecords {
    private static final Pattern LEASE = Pattern.compile("/sluice/containers/\\d+/lease");

    private StoredRecords() {}

    /** Takes the path of each record. */
    public interface Paths {
        void path(String path) throws IOException;
    }

    /** Tells of every path below {@code parent}, whether it has a record or only leads to some. */
    public static void forEach(Metadata metadata, String parent, Paths each) throws IOException {
        for (String child : metadata.children(parent)) {
            String path = parent + "/" + child;
            each.path(path);
            forEach(metadata, path, each);
        }
    }

    /** @throws IOException the record is one of a lease or a counter, and cannot be read */
    public static void check(String path, byte[] value) throws IOException {
        if (LEASE.matcher(path).matches()) {
            LeaseRecord.decode(value);
        } else if (path.startsWith("/sluice/ids/") && value.length != Long.BYTES) {
            throw new IOException("a counter of " + value.length + " bytes");
        }
    }
}
