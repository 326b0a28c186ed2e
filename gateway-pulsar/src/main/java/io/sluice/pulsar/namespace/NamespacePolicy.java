package io.sluice.pulsar.namespace;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType;
import org.apache.pulsar.common.policies.data.PersistencePolicies;
import org.apache.pulsar.common.policies.data.impl.BacklogQuotaImpl;
import org.apache.pulsar.common.policies.data.impl.DelayedDeliveryPoliciesImpl;
import org.jspecify.annotations.Nullable;

/**
 * Policies set for a namespace, in Pulsar's own classes; stored as JSON.
 *
 * @param deduplication null where the server's setting holds
 * @param deduplicationPeriod rises when deduplication is switched on again; see {@link Deduplication}
 * @param persistence kept and shown only: how many copies there are is a setting of the server
 * @param compactionThreshold bytes; null where the server's setting holds. See {@link CompactionThresholds}
 * @param delayedDelivery null where {@link DelayedDelivery#DEFAULT} holds
 * @param values of {@link Policy}, by their names, as JSON
 * @param messageTtl seconds; null for none, as is 0. See {@link MessageTtl}
 */
public record NamespacePolicy(
        @Nullable Boolean deduplication,
        int deduplicationPeriod,
        @Nullable PersistencePolicies persistence,
        Map<BacklogQuotaType, BacklogQuotaImpl> backlogQuotas,
        @Nullable Long compactionThreshold,
        @Nullable DelayedDeliveryPoliciesImpl delayedDelivery,
        @Nullable Integer messageTtl,
        Map<String, String> values) {
    public static final NamespacePolicy NONE = new NamespacePolicy(null, 0, null, Map.of(), null, null, null, Map.of());

    public NamespacePolicy {
        backlogQuotas = Map.copyOf(backlogQuotas);
        // an earlier server has stored none
        values = Objects.requireNonNullElse(values, Map.<String, String>of()).isEmpty() ? Map.of() : Map.copyOf(values);
    }

    NamespacePolicy withDeduplication(@Nullable Boolean on, int period) {
        return new NamespacePolicy(
                on, period, persistence, backlogQuotas, compactionThreshold, delayedDelivery, messageTtl, values);
    }

    public NamespacePolicy withPersistence(@Nullable PersistencePolicies to) {
        return new NamespacePolicy(
                deduplication,
                deduplicationPeriod,
                to,
                backlogQuotas,
                compactionThreshold,
                delayedDelivery,
                messageTtl,
                values);
    }

    public NamespacePolicy withCompactionThreshold(@Nullable Long bytes) {
        return new NamespacePolicy(
                deduplication,
                deduplicationPeriod,
                persistence,
                backlogQuotas,
                bytes,
                delayedDelivery,
                messageTtl,
                values);
    }

    public NamespacePolicy withDelayedDelivery(@Nullable DelayedDeliveryPoliciesImpl policy) {
        return new NamespacePolicy(
                deduplication,
                deduplicationPeriod,
                persistence,
                backlogQuotas,
                compactionThreshold,
                policy,
                messageTtl,
                values);
    }

    public NamespacePolicy withMessageTtl(@Nullable Integer seconds) {
        return new NamespacePolicy(
                deduplication,
                deduplicationPeriod,
                persistence,
                backlogQuotas,
                compactionThreshold,
                delayedDelivery,
                seconds,
                values);
    }

    /** @param quota null to have none */
    public NamespacePolicy withBacklogQuota(BacklogQuotaType type, @Nullable BacklogQuotaImpl quota) {
        Map<BacklogQuotaType, BacklogQuotaImpl> quotas = new EnumMap<>(BacklogQuotaType.class);
        quotas.putAll(backlogQuotas);
        if (quota == null) {
            quotas.remove(type);
        } else {
            quotas.put(type, quota);
        }
        return new NamespacePolicy(
                deduplication,
                deduplicationPeriod,
                persistence,
                quotas,
                compactionThreshold,
                delayedDelivery,
                messageTtl,
                values);
    }

    /** @param json null to have none */
    NamespacePolicy withValue(String name, @Nullable String json) {
        Map<String, String> changed = new HashMap<>(values);
        if (json == null) {
            changed.remove(name);
        } else {
            changed.put(name, json);
        }
        return new NamespacePolicy(
                deduplication,
                deduplicationPeriod,
                persistence,
                backlogQuotas,
                compactionThreshold,
                delayedDelivery,
                messageTtl,
                changed);
    }
}
