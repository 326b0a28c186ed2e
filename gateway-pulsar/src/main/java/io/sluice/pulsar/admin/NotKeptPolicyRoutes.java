package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;

import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.NamespacePolicy;
import io.sluice.pulsar.namespace.Policy;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.services.GatewayServices;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType;
import org.apache.pulsar.common.policies.data.impl.BacklogQuotaImpl;
import org.apache.pulsar.common.policies.data.impl.DelayedDeliveryPoliciesImpl;
import org.jspecify.annotations.Nullable;

/**
 * Policies of topics whose messages are not kept that find nothing to do there: kept and shown, as in Pulsar. A difference on purpose: such a topic
 * is in no other cluster, as nothing would be sent there.
 */
final class NotKeptPolicyRoutes {
    private static final String TOPIC = "/admin/v2/non-persistent/:tenant/:namespace/:topic/";

    private static final Policy<Integer> TTL = new Policy<>(
            "messageTTL",
            Integer.class,
            null,
            seconds -> seconds < 0 ? "Invalid value for message TTL" : null,
            (all, seconds) -> {});
    private static final Policy<Boolean> DEDUPLICATION =
            new Policy<>("deduplicationEnabled", Boolean.class, null, value -> null, (all, on) -> {});
    private static final Policy<DelayedDeliveryPoliciesImpl> DELAYS = new Policy<>(
            "delayedDelivery", DelayedDeliveryPoliciesImpl.class, null, value -> null, (all, delays) -> {});
    private static final Policy<Quotas> QUOTAS =
            new Policy<>("backlogQuotas", Quotas.class, null, value -> null, (all, quotas) -> {});

    private final GatewayServices services;
    private final NonPersistentPlaces places;
    private final NamespacePolicies policies;

    NotKeptPolicyRoutes(GatewayServices services, NonPersistentPlaces places) {
        this.services = services;
        this.places = places;
        this.policies = services.policies();
    }

    /** Backlog quotas as they are stored. */
    record Quotas(Map<BacklogQuotaType, BacklogQuotaImpl> byType) {
        Quotas with(BacklogQuotaType type, @Nullable BacklogQuotaImpl quota) {
            Map<BacklogQuotaType, BacklogQuotaImpl> all = new EnumMap<>(BacklogQuotaType.class);
            all.putAll(byType);
            if (quota == null) {
                all.remove(type);
            } else {
                all.put(type, quota);
            }
            return new Quotas(all);
        }
    }

    void add(Routes routes) {
        var look = routes.nonPersistent(DESCRIBE_CONFIGS);
        var change = routes.nonPersistent(ALTER_CONFIGS);
        look.get(TOPIC + "messageTTL", r -> shown(r, TTL, orZero(namespace(r).messageTtl())));
        change.post(TOPIC + "messageTTL", r -> {
            String given = r.find("messageTTL");
            return set(r, TTL, given == null ? null : Integer.valueOf(given));
        });
        change.delete(TOPIC + "messageTTL", r -> set(r, TTL, null));
        look.get(TOPIC + "deduplicationEnabled", r -> shown(r, DEDUPLICATION, deduplicates(r)));
        change.post(TOPIC + "deduplicationEnabled", r -> set(r, DEDUPLICATION, given(r, Boolean.class)));
        change.delete(TOPIC + "deduplicationEnabled", r -> set(r, DEDUPLICATION, null));
        look.get(
                TOPIC + "delayedDelivery",
                r -> shown(r, DELAYS, services.delays().of(r.name().topic())));
        change.post(TOPIC + "delayedDelivery", r -> set(r, DELAYS, given(r, DelayedDeliveryPoliciesImpl.class)));
        change.delete(TOPIC + "delayedDelivery", r -> set(r, DELAYS, null));
        look.get(TOPIC + "backlogQuotaMap", this::quotas);
        change.post(
                TOPIC + "backlogQuota",
                r -> setQuota(r, BacklogQuotaRoutes.given(r.request().body())));
        change.delete(TOPIC + "backlogQuota", r -> setQuota(r, null));
        look.get(TOPIC + "replication", this::clusters);
        change.post(TOPIC + "replication", this::setClusters);
        change.delete(TOPIC + "replication", r -> set(r, TopicPolicies.REPLICATION, null));
    }

    private NamespacePolicy namespace(NonPersistentRequest r) {
        return policies.of(r.name().topic().tenant(), r.name().topic().namespace());
    }

    private static int orZero(@Nullable Integer value) {
        return value == null ? 0 : value;
    }

    private boolean deduplicates(NonPersistentRequest r) {
        Boolean ofNamespace = namespace(r).deduplication();
        return ofNamespace == null ? services.config().deduplication() : ofNamespace;
    }

    /** @param otherwise what holds where the topic has none of its own */
    private <T> Object shown(NonPersistentRequest r, Policy<T> policy, T otherwise) throws AdminException, IOException {
        T own = policy.in(places.whole(r).settings());
        return own == null && r.flag("applied") ? otherwise : PolicyRoutes.orNothing(own);
    }

    private static <T> T given(NonPersistentRequest r, Class<T> type) throws AdminException {
        T value = PolicyRoutes.read(r.request().body(), type);
        if (value == null) {
            throw new AdminException(400, "the request needs a body");
        }
        return value;
    }

    private <T> @Nullable Object set(NonPersistentRequest r, Policy<T> policy, @Nullable T value)
            throws AdminException, IOException {
        String why = value == null ? null : policy.whyNot().apply(value);
        if (why != null) {
            throw new AdminException(412, why);
        }
        places.whole(r).change(settings -> policy.set(settings, value));
        return null;
    }

    private Object quotas(NonPersistentRequest r) throws AdminException, IOException {
        Quotas own = QUOTAS.in(places.whole(r).settings());
        Map<BacklogQuotaType, BacklogQuotaImpl> set = own == null ? Map.of() : own.byType;
        return set.isEmpty() && r.flag("applied") ? namespace(r).backlogQuotas() : set;
    }

    private @Nullable Object setQuota(NonPersistentRequest r, @Nullable BacklogQuotaImpl quota)
            throws AdminException, IOException {
        BacklogQuotaType type = BacklogQuotaRoutes.typeOf(r.find("backlogQuotaType"));
        places.whole(r).change(settings -> {
            Quotas before = QUOTAS.in(settings);
            return QUOTAS.set(settings, (before == null ? new Quotas(Map.of()) : before).with(type, quota));
        });
        return null;
    }

    private Object clusters(NonPersistentRequest r) throws AdminException, IOException {
        Set<String> own = TopicPolicies.REPLICATION.in(places.whole(r).settings());
        Set<String> shown = own == null && r.flag("applied")
                ? Set.of(services.replication().clusters().own())
                : own;
        return shown == null ? Routes.NOTHING : new JsonArray(List.copyOf(new TreeSet<>(shown)));
    }

    private @Nullable Object setClusters(NonPersistentRequest r) throws AdminException, IOException {
        String own = services.replication().clusters().own();
        Set<String> given = new TreeSet<>(List.of(given(r, String[].class)));
        if (given.isEmpty()) {
            throw new AdminException(412, "ClusterIds should not be null or empty");
        }
        if (!given.equals(Set.of(own))) {
            throw new AdminException(
                    412, "messages that are not kept go to no other cluster: only " + own + " is allowed");
        }
        return set(r, TopicPolicies.REPLICATION, given);
    }
}
