package io.sluice.pulsar.namespace;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;

/**
 * Policies of namespaces: loaded once, then kept in memory, as the topic catalogue is. A change is stored before it shows.
 * What reads the store blocks.
 */
public final class NamespacePolicies {
    private static final String ROOT = "/sluice/pulsar/policies";

    private final Metadata metadata;
    /** Only where something was set. */
    private final Map<String, NamespacePolicy> byName = new ConcurrentHashMap<>();

    public NamespacePolicies(Metadata metadata) {
        this.metadata = metadata;
    }

    /** Before the gateway serves; blocks. */
    public void load() throws IOException {
        for (String tenant : metadata.children(ROOT)) {
            for (String namespace : metadata.children(ROOT + '/' + tenant)) {
                show(tenant, namespace, stored(path(tenant, namespace)));
            }
        }
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

    private void show(String tenant, String namespace, Stored stored) {
        byName.put(name(tenant, namespace), stored.policy());
    }

    private static String name(String tenant, String namespace) {
        return tenant + '/' + namespace;
    }

    private static String path(String tenant, String namespace) {
        return ROOT + '/' + name(tenant, namespace);
    }

    /** Any thread. */
    public NamespacePolicy of(String tenant, String namespace) {
        return byName.getOrDefault(name(tenant, namespace), NamespacePolicy.NONE);
    }

    /** Changes what is stored, which after a failed write may be newer than what is in memory. */
    public synchronized void change(String tenant, String namespace, UnaryOperator<NamespacePolicy> change)
            throws IOException {
        String path = path(tenant, namespace);
        Stored before = stored(path);
        NamespacePolicy after = change.apply(before.policy());
        byte[] bytes = ObjectMapperFactory.getMapper().writer().writeValueAsBytes(after);
        try {
            metadata.put(path, bytes, before.version());
        } catch (Metadata.VersionMismatch e) {
            // a put that was sent twice finds what the first had written
            if (!stored(path).policy().equals(after)) {
                throw e;
            }
        }
        byName.put(name(tenant, namespace), after);
    }

    /** With its namespace. */
    public synchronized void delete(String tenant, String namespace) throws IOException {
        String path = path(tenant, namespace);
        Metadata.@Nullable Versioned there = metadata.get(path);
        if (there != null) {
            metadata.delete(path, there.version());
        }
        byName.remove(name(tenant, namespace));
    }
}
