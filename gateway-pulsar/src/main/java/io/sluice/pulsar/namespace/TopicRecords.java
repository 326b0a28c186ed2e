package io.sluice.pulsar.namespace;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.RecordWatch;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Records of the metadata store by topic: kept in memory, and corrected when the store tells of a change by another node. What reads or
 * writes the store blocks.
 *
 * @param <V> what a record has; immutable
 */
public final class TopicRecords<V> implements AutoCloseable {
    private static final int DEPTH = 3;

    private final Metadata metadata;
    private final String root;
    private final Form<V> form;
    private final RecordWatch<TopicName> watch;
    private final Map<TopicName, V> byName = new ConcurrentHashMap<>();
    private final AtomicLong version = new AtomicLong();

    /** How a record is stored. */
    public interface Form<V> {
        byte[] write(V value) throws IOException;

        /** @return null for a record that is as none */
        @Nullable
        V read(byte[] stored) throws IOException;
    }

    /**
     * @param root path above the records
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     */
    public TopicRecords(Metadata metadata, String root, Form<V> form, Executor tasks) {
        this.metadata = metadata;
        this.root = root;
        this.form = form;
        this.watch = new RecordWatch<>(metadata, root, this::nameAt, tasks, this::readAgain, this::knownNames);
    }

    private String path(TopicName name) {
        return root + '/' + name.tenant() + '/' + name.namespace() + '/' + URLEncoder.encode(name.local(), UTF_8);
    }

    /** Null for what is above the records. */
    private @Nullable TopicName nameAt(String path) {
        String[] parts = path.substring(root.length() + 1).split("/");
        return parts.length == DEPTH ? new TopicName(parts[0], parts[1], URLDecoder.decode(parts[2], UTF_8)) : null;
    }

    /** Before the gateway serves; blocks. */
    public void load() throws IOException {
        for (TopicName name : knownNames()) {
            read(name);
        }
        watch.start();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    private Set<TopicName> knownNames() throws IOException {
        Set<TopicName> names = new HashSet<>(byName.keySet());
        for (String tenant : metadata.children(root)) {
            for (String namespace : metadata.children(root + '/' + tenant)) {
                for (String local : metadata.children(root + '/' + tenant + '/' + namespace)) {
                    names.add(new TopicName(tenant, namespace, URLDecoder.decode(local, UTF_8)));
                }
            }
        }
        return names;
    }

    private boolean readAgain(TopicName name) throws IOException {
        read(name);
        return true;
    }

    /** As it is stored now; null if there is none. Blocks. */
    public synchronized @Nullable V read(TopicName name) throws IOException {
        Metadata.Versioned there = metadata.get(path(name));
        V value = there == null ? null : form.read(there.value());
        know(name, value);
        return value;
    }

    private void know(TopicName name, @Nullable V value) {
        if (value == null) {
            byName.remove(name);
        } else {
            byName.put(name, value);
        }
        version.incrementAndGet();
    }

    /** As far as is known here; null if there is none. Any thread. */
    public @Nullable V find(TopicName name) {
        return byName.get(name);
    }

    /** Topics that have a record. Any thread. */
    public Set<TopicName> names() {
        return Set.copyOf(byName.keySet());
    }

    /** Rises with every change that is seen here. Any thread. */
    public long version() {
        return version.get();
    }

    /** Blocks; false if there is one already. */
    public synchronized boolean create(TopicName name, V value) throws IOException {
        try {
            metadata.putOrFind(path(name), form.write(value), Metadata.ABSENT);
        } catch (Metadata.VersionMismatch e) {
            read(name);
            return false;
        }
        know(name, value);
        return true;
    }

    /**
     * Changes what is stored, which may be newer than what is in memory; blocks.
     *
     * @param ifMissing what a topic without a record begins with; null to leave it without one
     * @param change of what is stored; asked again if another node was first
     * @return the value after it; null if there is no record
     */
    public synchronized @Nullable V change(TopicName name, @Nullable V ifMissing, UnaryOperator<V> change)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            Metadata.Versioned there = metadata.get(path(name));
            V stored = there == null ? null : form.read(there.value());
            V before = stored == null ? ifMissing : stored;
            if (before == null) {
                return null;
            }
            V after = change.apply(before);
            if (after.equals(before)) {
                return after;
            }
            try {
                metadata.putOrFind(path(name), form.write(after), there == null ? Metadata.ABSENT : there.version());
                know(name, after);
                return after;
            } catch (Metadata.VersionMismatch e) {
                if (attempt == Metadata.ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Blocks. */
    public synchronized void delete(TopicName name) throws IOException {
        metadata.deleteLast(path(name));
        know(name, null);
    }

    /**
     * Leaves a record that reads as none; blocks. For records that several nodes change: a change that one of them has begun could take the version
     * of a next record for this one's.
     */
    public synchronized void clear(TopicName name, V none) throws IOException {
        if (metadata.isExclusive()) {
            metadata.deleteLast(path(name));
        } else if (metadata.get(path(name)) != null) {
            metadata.putLast(path(name), form.write(none));
        }
        know(name, null);
    }
}
