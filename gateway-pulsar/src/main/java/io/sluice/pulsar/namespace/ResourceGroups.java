package io.sluice.pulsar.namespace;

import io.sluice.broker.rate.Rate;
import io.sluice.pulsar.rates.GroupRates;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Resource groups: rates that the namespaces of a group share at each node (ADR 0113). Records of the metadata store, see {@link NamedRecords}. What
 * reads or writes the store blocks.
 */
public final class ResourceGroups implements AutoCloseable {
    private static final String ROOT = "/sluice/pulsar/resource-groups";
    private static final long NONE = -1;

    private final NamespacePolicies policies;
    private final NamedRecords<Limits> records;
    /** Buckets of groups whose namespaces have been asked for, with the limits that they were made of. */
    private final Map<String, Kept> buckets = new ConcurrentHashMap<>();

    private final AtomicLong version = new AtomicLong();

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    public ResourceGroups(NamespacePolicies policies, Metadata metadata, Executor tasks) {
        this.policies = policies;
        this.records = new NamedRecords<>(ROOT, Limits.class, metadata, tasks, version::incrementAndGet);
    }

    /** Rates of a group in a second; below 1 for none. */
    public record Limits(
            int publishRateInMsgs, long publishRateInBytes, int dispatchRateInMsgs, long dispatchRateInBytes) {
        static final Limits UNLIMITED = new Limits((int) NONE, NONE, (int) NONE, NONE);

        private GroupRates rates(long now) {
            return new GroupRates(
                    new Rate(publishRateInMsgs, publishRateInBytes, 1, false),
                    new Rate(dispatchRateInMsgs, dispatchRateInBytes, 1, false),
                    now);
        }
    }

    /** Change of limits: what is null stays, or is none in a new group. */
    public record Change(
            @Nullable Integer publishRateInMsgs,
            @Nullable Long publishRateInBytes,
            @Nullable Integer dispatchRateInMsgs,
            @Nullable Long dispatchRateInBytes) {
        private Limits of(Limits before) {
            return new Limits(
                    publishRateInMsgs == null ? before.publishRateInMsgs : publishRateInMsgs,
                    publishRateInBytes == null ? before.publishRateInBytes : publishRateInBytes,
                    dispatchRateInMsgs == null ? before.dispatchRateInMsgs : dispatchRateInMsgs,
                    dispatchRateInBytes == null ? before.dispatchRateInBytes : dispatchRateInBytes);
        }
    }

    private record Kept(Limits limits, GroupRates rates) {}

    /** Before the gateway serves. */
    public void load() throws IOException {
        records.load();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        records.close();
    }

    /** Sorted. Any thread. */
    public List<String> names() {
        return List.copyOf(new TreeSet<>(records.all().keySet()));
    }

    /** Null if there is none of this name. Any thread. */
    public @Nullable Limits find(String name) {
        return records.all().get(name);
    }

    /** Rises with every change that is seen here. Any thread. */
    public long version() {
        return version.get();
    }

    /** Makes the group, or changes it. */
    public void change(String name, Change change) throws IOException {
        records.change(name, Limits.UNLIMITED, change::of);
    }

    /** False if there is none of this name. */
    public boolean delete(String name) throws IOException {
        boolean there = records.delete(name);
        buckets.remove(name);
        return there;
    }

    /** Whether a namespace is in the group. Any thread. */
    public boolean isUsed(String name) {
        return policies.all().stream().anyMatch(each -> name.equals(TopicPolicies.RESOURCE_GROUP.ofNamespace(each)));
    }

    /** Rates that a namespace shares with the others of its group; null if it is in none. Any thread. */
    @Nullable
    GroupRates of(String tenant, String namespace) {
        String name = TopicPolicies.RESOURCE_GROUP.ofNamespace(policies.of(tenant, namespace));
        Limits limits = name == null ? null : find(name);
        if (name == null || limits == null) {
            return null;
        }
        return buckets.compute(
                        name,
                        (_, kept) -> kept != null && kept.limits.equals(limits)
                                ? kept
                                : new Kept(limits, limits.rates(System.currentTimeMillis())))
                .rates();
    }
}
