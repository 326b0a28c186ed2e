package io.sluice.pulsar.namespace;

import io.sluice.broker.topic.RecordWatch;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;

/**
 * Records of one kind in the metadata store, each by a name, as JSON: kept in memory and corrected when the store tells of a change that another node
 * made. What reads or writes the store blocks.
 */
final class NamedRecords<T> implements AutoCloseable {
    private final String root;
    private final Class<T> type;
    private final Metadata metadata;
    private final Runnable changed;
    private final RecordWatch<String> watch;
    private final Map<String, T> byName = new ConcurrentHashMap<>();

    /**
     * @param root path of the records
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     * @param changed told of every change that is seen here
     */
    NamedRecords(String root, Class<T> type, Metadata metadata, Executor tasks, Runnable changed) {
        this.root = root;
        this.type = type;
        this.metadata = metadata;
        this.changed = changed;
        this.watch = new RecordWatch<>(metadata, root, this::nameAt, tasks, this::read, this::knownNames);
    }

    /** All that are known, by their names; a view. Any thread. */
    Map<String, T> all() {
        return byName;
    }

    private @Nullable String nameAt(String path) {
        String name = path.substring(root.length() + 1);
        return name.indexOf('/') < 0 ? name : null;
    }

    /** Before anybody asks. */
    void load() throws IOException {
        for (String name : metadata.children(root)) {
            read(name);
        }
        watch.start();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    private Collection<String> knownNames() throws IOException {
        Set<String> names = new HashSet<>(byName.keySet());
        names.addAll(metadata.children(root));
        return names;
    }

    private String path(String name) {
        return root + '/' + name;
    }

    private synchronized boolean read(String name) throws IOException {
        Metadata.Versioned there = metadata.get(path(name));
        if (there == null) {
            byName.remove(name);
        } else {
            byName.put(name, decoded(there));
        }
        changed.run();
        return true;
    }

    /** False if there is one of this name. */
    synchronized boolean create(String name, T value) throws IOException {
        if (metadata.get(path(name)) != null) {
            return false;
        }
        try {
            metadata.putOrFind(path(name), written(value), Metadata.ABSENT);
        } catch (Metadata.VersionMismatch e) {
            return false;
        }
        show(name, value);
        return true;
    }

    /** False if there is none of this name. */
    synchronized boolean replace(String name, T value) throws IOException {
        if (metadata.get(path(name)) == null) {
            return false;
        }
        put(name, value);
        return true;
    }

    /** Writes it as a whole: of several that do so at the same time one stands. */
    synchronized void put(String name, T value) throws IOException {
        metadata.putLast(path(name), written(value));
        show(name, value);
    }

    /**
     * Changes what is stored, which may be newer than what is in memory.
     *
     * @param none changed where there is none of this name
     * @param change asked again if another node was first
     */
    synchronized void change(String name, T none, UnaryOperator<T> change) throws IOException {
        for (int attempt = 1; ; attempt++) {
            Metadata.Versioned there = metadata.get(path(name));
            T after = change.apply(there == null ? none : decoded(there));
            try {
                metadata.putOrFind(path(name), written(after), there == null ? Metadata.ABSENT : there.version());
                show(name, after);
                return;
            } catch (Metadata.VersionMismatch e) {
                if (attempt == Metadata.ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** False if there was none of this name. */
    synchronized boolean delete(String name) throws IOException {
        boolean there = metadata.get(path(name)) != null;
        metadata.deleteLast(path(name));
        byName.remove(name);
        changed.run();
        return there;
    }

    private void show(String name, T value) {
        byName.put(name, value);
        changed.run();
    }

    private T decoded(Metadata.Versioned there) throws IOException {
        return ObjectMapperFactory.getMapper().reader().readValue(there.value(), type);
    }

    private static byte[] written(Object value) throws IOException {
        return ObjectMapperFactory.getMapper().writer().writeValueAsBytes(value);
    }
}
