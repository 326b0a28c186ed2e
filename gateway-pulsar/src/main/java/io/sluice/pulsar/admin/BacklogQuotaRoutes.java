package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.retention.Retention;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.namespace.BacklogQuotas;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.NamespacePolicy;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.services.BacklogQuotaChecks;
import java.io.IOException;
import java.util.Map;
import org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.policies.data.impl.BacklogQuotaImpl;
import org.jspecify.annotations.Nullable;

/**
 * {@code backlogQuota} and {@code backlogQuotaMap} of namespaces and topics, and a round of checks on request. As in Pulsar, a topic must keep more
 * than its quota lets pile up: a quota and a retention that contradict each other are refused, whichever comes second.
 */
final class BacklogQuotaRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace";
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic";
    private static final int SECONDS_PER_MINUTE = 60;
    private static final long MILLIS_PER_MINUTE = 60_000;
    private static final long BYTES_PER_MEGABYTE = 1 << 20;

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final NamespacePolicies policies;
    private final BacklogQuotaChecks checks;

    BacklogQuotaRoutes(AdminTopics topics, PlaceRoutes places) {
        this.topics = topics;
        this.places = places;
        this.policies = topics.services().policies();
        this.checks = topics.services().quotaChecks();
    }

    void add(Routes routes) {
        routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE + "/backlogQuotaMap", r -> {
            places.requireNamespace(r);
            return policies.of(r.tenant(), r.namespace()).backlogQuotas();
        });
        var change = routes.namespace(ALTER_CONFIGS);
        change.post(NAMESPACE + "/backlogQuota", this::setNamespace);
        change.delete(NAMESPACE + "/backlogQuota", r -> setNamespace(r, typeOf(r.find("backlogQuotaType")), null));
        routes.wholeTopic(DESCRIBE_CONFIGS).get(TOPIC + "/backlogQuotaMap", r -> {
            Topic topic = topics.topic(r);
            return r.flag("applied") ? checks.quotas().shown(topic) : BacklogQuotas.ofTopic(topic);
        });
        var changeTopic = routes.wholeTopic(ALTER_CONFIGS);
        changeTopic.post(TOPIC + "/backlogQuota", this::setTopic);
        changeTopic.delete(TOPIC + "/backlogQuota", r -> setTopic(r, typeOf(r.find("backlogQuotaType")), null));
        routes.cluster(ALTER_CONFIGS).get("/admin/v2/brokers/backlog-quota-check", r -> {
            checks.roundNow();
            return null;
        });
    }

    static BacklogQuotaType typeOf(@Nullable String name) throws AdminException {
        if (name == null) {
            return BacklogQuotaType.destination_storage;
        }
        for (BacklogQuotaType type : BacklogQuotaType.values()) {
            if (type.name().equals(name)) {
                return type;
            }
        }
        throw new AdminException(400, "there is no type of backlog quota '" + name + "'");
    }

    static @Nullable BacklogQuotaImpl given(String body) throws AdminException {
        return check(PolicyRoutes.read(body, BacklogQuotaImpl.class));
    }

    static @Nullable BacklogQuotaImpl check(@Nullable BacklogQuotaImpl quota) throws AdminException {
        if (quota != null && quota.getPolicy() == null) {
            throw new AdminException(400, "a backlog quota needs a policy");
        }
        return quota;
    }

    private @Nullable Object setNamespace(AdminRequest r) throws AdminException, IOException {
        BacklogQuotaType type = typeOf(r.find("backlogQuotaType"));
        places.requireNamespace(r);
        BacklogQuotaImpl quota = given(r.body());
        RetentionPolicies kept = TopicPolicies.RETENTION.ofNamespace(policies.of(r.tenant(), r.namespace()));
        if (quota != null && type == BacklogQuotaType.destination_storage && contradicts(quota, kept)) {
            throw new AdminException(
                    412,
                    "Backlog Quota exceeds configured retention quota for namespace."
                            + " Please increase retention quota and retry");
        }
        return setNamespace(r, type, quota);
    }

    private @Nullable Object setNamespace(AdminRequest r, BacklogQuotaType type, @Nullable BacklogQuotaImpl quota)
            throws AdminException, IOException {
        places.requireNamespace(r);
        policies.change(r.tenant(), r.namespace(), p -> p.withBacklogQuota(type, quota));
        return null;
    }

    private @Nullable Object setTopic(TopicRequest r) throws AdminException {
        BacklogQuotaType type = typeOf(r.find("backlogQuotaType"));
        BacklogQuotaImpl quota = given(r.body());
        if (quota != null && contradicts(quota, kept(topics.topic(r)))) {
            throw new AdminException(
                    412,
                    "Backlog Quota exceeds configured retention quota for topic."
                            + " Please increase retention quota and retry");
        }
        return setTopic(r, type, quota);
    }

    private @Nullable Object setTopic(TopicRequest r, BacklogQuotaType type, @Nullable BacklogQuotaImpl quota)
            throws AdminException {
        Topic topic = topics.topic(r);
        await(topics.services().catalogue().configure(topic.name(), BacklogQuotas.set(topic, type, quota)));
        return null;
    }

    /** The topic's own retention, else its namespace's; null for neither. */
    private @Nullable RetentionPolicies kept(Topic topic) {
        Map<String, String> settings = topic.settings();
        String millis = settings.get(Retention.MILLIS_SETTING);
        String bytes = settings.get(Retention.BYTES_SETTING);
        return millis == null && bytes == null
                ? TopicPolicies.RETENTION.inNamespace(
                        policies, topic.name().tenant(), topic.name().namespace())
                : new RetentionPolicies(inUnits(millis, MILLIS_PER_MINUTE), inUnits(bytes, BYTES_PER_MEGABYTE));
    }

    private static int inUnits(@Nullable String limit, long unit) {
        return limit == null ? -1 : (int) Math.clamp(Math.ceilDiv(Long.parseLong(limit), unit), -1, Integer.MAX_VALUE);
    }

    /** As Pulsar decides it: what is kept must be more than what may pile up, where anything is kept. */
    private static boolean contradicts(BacklogQuotaImpl quota, @Nullable RetentionPolicies kept) {
        if (kept == null) {
            return false;
        }
        long bytes = kept.getRetentionSizeInMB() * BYTES_PER_MEGABYTE;
        long seconds = (long) kept.getRetentionTimeInMinutes() * SECONDS_PER_MINUTE;
        return bytes > 0 && quota.getLimitSize() >= bytes || seconds > 0 && quota.getLimitTime() >= seconds;
    }

    /** Refuses a namespace's retention that keeps too little for its quota of size. */
    static void check(NamespacePolicy of, RetentionPolicies kept) throws AdminException {
        BacklogQuotaImpl quota = of.backlogQuotas().get(BacklogQuotaType.destination_storage);
        if (quota != null && contradicts(quota, kept)) {
            throw new AdminException(412, "Retention Quota must exceed configured backlog quota for namespace.");
        }
    }

    /** Refuses a topic's retention that keeps too little for one of its quotas. */
    static void check(BacklogQuotas quotas, Topic topic, RetentionPolicies kept) throws AdminException {
        for (BacklogQuotaType type : BacklogQuotaType.values()) {
            if (contradicts(quotas.of(topic, type), kept)) {
                throw new AdminException(
                        412,
                        "Retention Quota must exceed configured backlog quota for topic."
                                + " Please increase retention quota and retry");
            }
        }
    }
}
