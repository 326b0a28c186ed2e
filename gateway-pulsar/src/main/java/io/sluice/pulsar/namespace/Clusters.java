package io.sluice.pulsar.namespace;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pulsar.common.policies.data.ClusterDataImpl;
import org.jspecify.annotations.Nullable;

/**
 * Clusters that people have named here, other than this server's own, and which of them tenants may use: records of the metadata store, kept in
 * memory and corrected when the store tells of a change that another node made. What reads or writes the store blocks.
 */
public final class Clusters implements AutoCloseable {
    private static final String ROOT = "/sluice/pulsar/clusters";
    private static final String OF_TENANTS = "/sluice/pulsar/tenant-clusters";

    private final String own;
    private final NamedRecords<ClusterDataImpl> records;
    private final NamedRecords<Allowed> tenants;
    private final AtomicLong version = new AtomicLong();

    /**
     * @param own name of the server's own cluster
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     */
    public Clusters(String own, Metadata metadata, Executor tasks) {
        this.own = own;
        this.records = new NamedRecords<>(ROOT, ClusterDataImpl.class, metadata, tasks, version::incrementAndGet);
        this.tenants = new NamedRecords<>(OF_TENANTS, Allowed.class, metadata, tasks, version::incrementAndGet);
    }

    /** Clusters of a tenant, as they are stored. */
    record Allowed(Set<String> clusters) {
        Allowed {
            clusters = Set.copyOf(clusters);
        }
    }

    /** Before the gateway serves; blocks. */
    public void load() throws IOException {
        records.load();
        tenants.load();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        records.close();
        tenants.close();
    }

    /** Name of the server's own cluster. */
    public String own() {
        return own;
    }

    /** All names, the server's own among them; sorted. Any thread. */
    public Set<String> names() {
        Set<String> names = new TreeSet<>(records.all().keySet());
        names.add(own);
        return names;
    }

    /** How another cluster is reached, with secrets: not for logs or answers. Null for one that is not known, and for the own. Any thread. */
    public @Nullable ClusterDataImpl find(String name) {
        return records.all().get(name);
    }

    /** Rises with every change that is seen here. Any thread. */
    public long version() {
        return version.get();
    }

    /** False if there is one of this name already. */
    public boolean create(String name, ClusterDataImpl data) throws IOException {
        return !name.equals(own) && records.create(name, data);
    }

    /** Replaces what is kept of a cluster; false if there is none of this name. */
    public boolean update(String name, ClusterDataImpl data) throws IOException {
        return records.replace(name, data);
    }

    /** False if there is none of this name. */
    public boolean delete(String name) throws IOException {
        return records.delete(name);
    }

    /** Clusters that a tenant's namespaces may be in: the own unless others were named. Any thread. */
    public Set<String> allowed(String tenant) {
        Allowed set = tenants.all().get(tenant);
        return set == null ? Set.of(own) : set.clusters();
    }

    public void allow(String tenant, Set<String> clusters) throws IOException {
        if (clusters.equals(Set.of(own))) {
            tenants.delete(tenant);
        } else {
            tenants.put(tenant, new Allowed(clusters));
        }
    }

    /** Forgets a tenant's clusters, with the tenant. */
    public void forget(String tenant) throws IOException {
        tenants.delete(tenant);
    }
}
