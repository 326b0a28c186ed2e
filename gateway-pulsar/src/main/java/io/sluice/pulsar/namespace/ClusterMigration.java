package io.sluice.pulsar.namespace;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pulsar.common.policies.data.ClusterPolicies.ClusterUrl;
import org.jspecify.annotations.Nullable;

/**
 * Cluster migration (ADR 0114): whether this cluster, or a namespace of it, has gone to another cluster, and where that is. Records of the
 * metadata store by the clusters' names, see {@link NamedRecords}; which namespaces go is a policy of theirs. What reads or writes the store blocks.
 */
public final class ClusterMigration implements AutoCloseable {
    private static final String ROOT = "/sluice/pulsar/cluster-migrations";

    private final String own;
    private final NamespacePolicies policies;
    private final NamedRecords<Migration> records;
    private final AtomicLong version = new AtomicLong();

    /**
     * @param own name of the server's own cluster
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     */
    public ClusterMigration(String own, NamespacePolicies policies, Metadata metadata, Executor tasks) {
        this.own = own;
        this.policies = policies;
        this.records = new NamedRecords<>(ROOT, Migration.class, metadata, tasks, version::incrementAndGet);
    }

    /**
     * Migration of one cluster.
     *
     * @param migrated whether all of the cluster goes; else namespaces that are marked go
     * @param url where they go; null for nowhere
     */
    public record Migration(boolean migrated, @Nullable Target url) {}

    /** Addresses of the other cluster, as Pulsar's {@link ClusterUrl} has them. */
    public record Target(
            @Nullable String serviceUrl,
            @Nullable String serviceUrlTls,
            @Nullable String brokerServiceUrl,
            @Nullable String brokerServiceUrlTls) {}

    /** Before the gateway serves. */
    public void load() throws IOException {
        records.load();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        records.close();
    }

    /** Null for a cluster of which nothing was said. Any thread. */
    public @Nullable Migration find(String cluster) {
        return records.all().get(cluster);
    }

    /** Replaces what is known of a cluster. */
    public void set(String cluster, Migration migration) throws IOException {
        records.put(cluster, migration);
    }

    /** Rises with every change that is seen here. Any thread. */
    public long version() {
        return version.get() + policies.version();
    }

    /** Whether a topic of this cluster may have another place. Any thread. */
    public boolean isActive() {
        Migration ofOwn = find(own);
        return ofOwn != null && ofOwn.url() != null;
    }

    /** Where the topic's clients go; null if it is still here. Scalable topics stay. Any thread. */
    public @Nullable Target of(TopicName topic) {
        Migration ofOwn = find(own);
        Target url = ofOwn == null ? null : ofOwn.url();
        if (ofOwn == null || url == null || topic.isSegment()) {
            return null;
        }
        return ofOwn.migrated() || isMarked(topic) ? url : null;
    }

    private boolean isMarked(TopicName topic) {
        return Boolean.TRUE.equals(TopicPolicies.MIGRATED.ofNamespace(policies.of(topic.tenant(), topic.namespace())));
    }

    /** As {@link #of}, by the name of a topic or of a partition. Any thread. */
    public boolean isMigrated(String topic) {
        try {
            return isActive() && of(PulsarNames.parse(topic).topic()) != null;
        } catch (TopicException e) {
            return false;
        }
    }

    /** Null if the topic takes messages; else why it takes none any more. Any thread. */
    public @Nullable String whyNotWritten(TopicName topic) {
        Target to = of(topic);
        return to == null ? null : refusal(topic.toString(), to);
    }

    /** Refusal of a client that is to go on at the other cluster. */
    public static String refusal(String topic, Target to) {
        String url = to.brokerServiceUrl() == null ? to.brokerServiceUrlTls() : to.brokerServiceUrl();
        return topic + " has migrated to another cluster" + (url == null ? "" : ", " + url);
    }
}
