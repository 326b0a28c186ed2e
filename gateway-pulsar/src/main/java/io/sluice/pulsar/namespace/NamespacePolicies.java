package io.sluice.pulsar.namespace;

import io.sluice.broker.topic.RecordWatch;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;

/**
 * Policies of namespaces: loaded once, then kept in memory, and corrected when the store tells of a change that another node made. A change
 * is stored before it shows. What reads the store blocks.
 */
public final class NamespacePolicies implements AutoCloseable {
    private static final String ROOT = "/sluice/pulsar/policies";

    private final Metadata metadata;
    private final RecordWatch<String> watch;
    /** By tenant and namespace; only where something was set. */
    private final Map<String, NamespacePolicy> byName = new ConcurrentHashMap<>();

    private final AtomicLong version = new AtomicLong();

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    public NamespacePolicies(Metadata metadata, Executor tasks) {
        this.metadata = metadata;
        this.watch = new RecordWatch<>(metadata, ROOT, NamespacePolicies::nameAt, tasks, this::read, this::knownNames);
    }

    /** Some metadata stores have a record of its own for what is above the namespaces. */
    private static @Nullable String nameAt(String path) {
        String name = path.substring(ROOT.length() + 1);
        return name.chars().filter(c -> c == '/').count() == 1 ? name : null;
    }

    /** Before the gateway serves; blocks. */
    public void load() throws IOException {
        for (String name : knownNames()) {
            read(name);
        }
        watch.start();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    private Set<String> knownNames() throws IOException {
        Set<String> names = new HashSet<>(byName.keySet());
        for (String tenant : metadata.children(ROOT)) {
            for (String namespace : metadata.children(ROOT + '/' + tenant)) {
                names.add(name(tenant, namespace));
            }
        }
        return names;
    }

    private synchronized boolean read(String name) throws IOException {
        Stored there = stored(ROOT + '/' + name);
        if (there.version() == Metadata.ABSENT) {
            byName.remove(name);
        } else {
            byName.put(name, there.policy());
        }
        version.incrementAndGet();
        return true;
    }

    private record Stored(NamespacePolicy policy, long version) {}

    private Stored stored(String path) throws IOException {
        Metadata.Versioned there = metadata.get(path);
        return there == null
                ? new Stored(NamespacePolicy.NONE, Metadata.ABSENT)
                : new Stored(
                        ObjectMapperFactory.getMapper().reader().readValue(there.value(), NamespacePolicy.class),
                        there.version());
    }

    private static String name(String tenant, String namespace) {
        return tenant + '/' + namespace;
    }

    private static String path(String tenant, String namespace) {
        return ROOT + '/' + name(tenant, namespace);
    }

    /** Rises with every change that is seen here; lets callers cache what they derive. Any thread. */
    public long version() {
        return version.get();
    }

    /** Policies of all namespaces for which something was set. Any thread. */
    public Collection<NamespacePolicy> all() {
        return List.copyOf(byName.values());
    }

    /** Any thread. */
    public NamespacePolicy of(String tenant, String namespace) {
        return byName.getOrDefault(name(tenant, namespace), NamespacePolicy.NONE);
    }

    /**
     * Changes what is stored, which may be newer than what is in memory.
     *
     * @param change of what is stored; asked again if another node was first
     */
    public synchronized void change(String tenant, String namespace, UnaryOperator<NamespacePolicy> change)
            throws IOException {
        String path = path(tenant, namespace);
        for (int attempt = 1; ; attempt++) {
            Stored before = stored(path);
            NamespacePolicy after = change.apply(before.policy());
            try {
                metadata.putOrFind(
                        path, ObjectMapperFactory.getMapper().writer().writeValueAsBytes(after), before.version());
                byName.put(name(tenant, namespace), after);
                version.incrementAndGet();
                return;
            } catch (Metadata.VersionMismatch e) {
                if (attempt == Metadata.ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /**
     * With its namespace. Where other nodes change policies, too, an empty record stays: a change that one of them has begun could take the
     * next record's version for this one's.
     */
    public synchronized void delete(String tenant, String namespace) throws IOException {
        String path = path(tenant, namespace);
        if (metadata.isExclusive()) {
            metadata.deleteLast(path);
        } else if (metadata.get(path) != null) {
            metadata.putLast(path, ObjectMapperFactory.getMapper().writer().writeValueAsBytes(NamespacePolicy.NONE));
        }
        byName.remove(name(tenant, namespace));
        version.incrementAndGet();
    }
}
