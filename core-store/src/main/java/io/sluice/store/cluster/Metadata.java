package io.sluice.store.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Small records that change by compare-and-set: topics, placement, leases, the ledger chains.
 *
 * <p>Paths look like {@code /sluice/containers/3/log}. A record has one byte or more: an empty one may count as none. Reads see the newest committed value (linearizable); a write has
 * survived a crash when it returns. All methods block and are called on virtual threads or at start-up. After an
 * {@link IOException} it is unknown whether the write happened: read before writing again.
 */
public interface Metadata extends AutoCloseable {
    /** {@code version} of a record that must not exist yet. */
    long ABSENT = -1;

    /** Attempts of a write of whatever is there; each costs that somebody else wrote in between. */
    int ATTEMPTS = 20;

    @Nullable
    Versioned get(String path) throws IOException;

    /** Reads several records, each as {@link #get} does, at the same time where the store can; in the order of the paths. */
    default List<@Nullable Versioned> getAll(List<String> paths) throws IOException {
        List<@Nullable Versioned> found = new ArrayList<>(paths.size());
        for (String path : paths) {
            found.add(get(path));
        }
        return found;
    }

    /**
     * Writes if the stored version is {@code expectedVersion} ({@link #ABSENT}: if there is none).
     *
     * @return the new version
     * @throws VersionMismatch another writer was first; nothing was written
     */
    long put(String path, byte[] value, long expectedVersion) throws IOException;

    /**
     * As {@link #put}, and also succeeds if the value is there already: a client that sends a put twice finds, the second time,
     * what the first had written. For values with one writer.
     */
    default long putOrFind(String path, byte[] value, long expectedVersion) throws IOException {
        try {
            return put(path, value, expectedVersion);
        } catch (VersionMismatch e) {
            Versioned stored = get(path);
            if (stored != null && Arrays.equals(stored.value(), value)) {
                return stored.version();
            }
            throw e;
        }
    }

    /**
     * Deletes if the version matches; a record that is already gone is success. One that is written anew under the path may get a version
     * that the deleted one had: what must not be mistaken for its predecessor says in its value whose it is, or is never deleted.
     */
    void delete(String path, long expectedVersion) throws IOException;

    /** Writes whatever is there: of several that write at the same time one stands. */
    default void putLast(String path, byte[] value) throws IOException {
        for (int attempt = 1; ; attempt++) {
            Versioned there = get(path);
            try {
                putOrFind(path, value, there == null ? ABSENT : there.version());
                return;
            } catch (VersionMismatch e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Deletes whatever is there. */
    default void deleteLast(String path) throws IOException {
        for (int attempt = 1; ; attempt++) {
            Versioned there = get(path);
            if (there == null) {
                return;
            }
            try {
                delete(path, there.version());
                return;
            } catch (VersionMismatch e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /**
     * Names (not paths) of the direct children, sorted; empty if there is no such path. A child may have no record of its own: it leads to
     * others, or did until they were deleted.
     */
    List<String> children(String path) throws IOException;

    /**
     * Tells {@code watcher} of every change of a record below {@code root}, by any process, until the watch is closed. A
     * change is told after it is committed, at least once; several of one record may be told as one.
     *
     * @param root for example {@code /sluice/topics}; changes of a record with this very path are not told
     */
    Watch watch(String root, Watcher watcher);

    /** Whether no other process can have the store open: whichever had it before is dead. */
    default boolean isExclusive() {
        return false;
    }

    @Override
    void close();

    /** Called on threads of the metadata store, which it must not hold up. */
    interface Watcher {
        /** The record was written or deleted; read it to see. */
        void changed(String path);

        /** The connection was lost and is back: changes may have gone untold, of any record. */
        void missed();
    }

    /** Ends the watch when closed; a call of the watcher under way may still return later. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** A value and the version to expect when replacing it. */
    @SuppressWarnings("ArrayRecordComponent")
    record Versioned(byte[] value, long version) {}

    /** Compare-and-set lost. */
    final class VersionMismatch extends IOException {
        public VersionMismatch(String message) {
            super(message);
        }
    }
}
