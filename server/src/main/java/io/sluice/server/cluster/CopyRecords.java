package io.sluice.server.cluster;

import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.StoredRecords;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Makes the records of one metadata those of another, which nobody uses meanwhile. May be repeated, also after the source has changed: what is
 * no more there goes.
 */
final class CopyRecords {
    private static final List<String> ROOTS = List.of("/sluice", "/ledgers");

    /**
     * Records that are the process' or the session's, and those that whoever brings the store writes in its own order: registrations, the
     * counter of ledgers, leases, nodes, the layout.
     */
    private static final Pattern NOT_COPIED = Pattern.compile("/ledgers/(available|idgen|idgen-long)(/.*)?"
            + "|/ledgers/underreplication/(locks|auditorelection)(/.*)?"
            + "|/sluice/containers/\\d+/lease|/sluice/(nodes|assignment|controller)(/.*)?|/sluice/(cluster|import)");

    /** Records of bookies that have come to the target meanwhile. */
    private static final Pattern KEPT = Pattern.compile("/ledgers/cookies(/.*)?|/sluice/bookies(/.*)?");

    private final Metadata from;
    private final Metadata to;

    CopyRecords(Metadata from, Metadata to) {
        this.from = from;
        this.to = to;
    }

    /** Returns the number of records that the source has. */
    int run() throws IOException {
        Set<String> copied = new HashSet<>();
        for (String root : ROOTS) {
            StoredRecords.forEach(from, root, path -> {
                if (!NOT_COPIED.matcher(path).matches() && copy(path)) {
                    copied.add(path);
                }
            });
        }
        for (String root : ROOTS) {
            StoredRecords.forEach(to, root, path -> {
                if (!copied.contains(path)
                        && !NOT_COPIED.matcher(path).matches()
                        && !KEPT.matcher(path).matches()) {
                    delete(path);
                }
            });
        }
        return copied.size();
    }

    /** Copies a record, and returns whether there is one: an empty one may count as none. */
    boolean copy(String path) throws IOException {
        Metadata.Versioned record = from.get(path);
        if (record == null || record.value().length == 0) {
            return false;
        }
        Metadata.Versioned there = to.get(path);
        if (there == null) {
            to.putOrFind(path, record.value(), Metadata.ABSENT);
        } else if (!Arrays.equals(there.value(), record.value())) {
            to.putOrFind(path, record.value(), there.version());
        }
        return true;
    }

    private void delete(String path) throws IOException {
        Metadata.Versioned there = to.get(path);
        if (there != null) {
            to.delete(path, there.version());
        }
    }
}
