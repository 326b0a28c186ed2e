package io.sluice.pulsar.namespace;

import io.sluice.broker.topic.Topic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType;
import org.apache.pulsar.common.policies.data.BacklogQuota.RetentionPolicy;
import org.apache.pulsar.common.policies.data.impl.BacklogQuotaImpl;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;

/**
 * Quotas on the backlog of a topic, or of a partition: one on its size, one on the age of its oldest message. For each the topic's own counts, else
 * its namespace's. Any thread.
 */
public final class BacklogQuotas {
    /** Holds where nothing is set; as Pulsar shows it. */
    private static final BacklogQuotaImpl UNLIMITED = BacklogQuotaImpl.builder()
            .limitSize(-1)
            .limitTime(-1)
            .retentionPolicy(RetentionPolicy.producer_request_hold)
            .build();

    private final NamespacePolicies policies;

    public BacklogQuotas(NamespacePolicies policies) {
        this.policies = policies;
    }

    private static String setting(BacklogQuotaType type) {
        return "pulsar.backlogQuota." + type;
    }

    /** Quotas that the topic has of its own. */
    public static Map<BacklogQuotaType, BacklogQuotaImpl> ofTopic(Topic topic) {
        Map<BacklogQuotaType, BacklogQuotaImpl> quotas = new EnumMap<>(BacklogQuotaType.class);
        for (BacklogQuotaType type : BacklogQuotaType.values()) {
            BacklogQuotaImpl own = ofTopic(topic, type);
            if (own != null) {
                quotas.put(type, own);
            }
        }
        return quotas;
    }

    private static @Nullable BacklogQuotaImpl ofTopic(Topic topic, BacklogQuotaType type) {
        String json = topic.settings().get(setting(type));
        try {
            return json == null
                    ? null
                    : ObjectMapperFactory.getMapper().reader().readValue(json, BacklogQuotaImpl.class);
        } catch (IOException e) {
            throw new UncheckedIOException("the backlog quota of " + topic.name() + " does not read", e);
        }
    }

    /** The topic's settings with another quota; null for none. */
    public static Map<String, String> set(Topic topic, BacklogQuotaType type, @Nullable BacklogQuotaImpl quota) {
        Map<String, String> settings = new HashMap<>(topic.settings());
        settings.remove(setting(type));
        if (quota != null) {
            try {
                settings.put(
                        setting(type), ObjectMapperFactory.getMapper().writer().writeValueAsString(quota));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return settings;
    }

    /** Quota that holds. */
    public BacklogQuotaImpl of(Topic topic, BacklogQuotaType type) {
        BacklogQuotaImpl own = ofTopic(topic, type);
        return own != null ? own : ofNamespace(topic).getOrDefault(type, UNLIMITED);
    }

    /** Quotas as Pulsar shows those that are applied: all of the topic, else all of the namespace, else two without a limit. */
    public Map<BacklogQuotaType, BacklogQuotaImpl> shown(Topic topic) {
        Map<BacklogQuotaType, BacklogQuotaImpl> own = ofTopic(topic);
        Map<BacklogQuotaType, BacklogQuotaImpl> set = own.isEmpty() ? ofNamespace(topic) : own;
        return set.isEmpty()
                ? Map.of(
                        BacklogQuotaType.destination_storage, UNLIMITED,
                        BacklogQuotaType.message_age, UNLIMITED)
                : set;
    }

    private Map<BacklogQuotaType, BacklogQuotaImpl> ofNamespace(Topic topic) {
        return policies.of(topic.name().tenant(), topic.name().namespace()).backlogQuotas();
    }

    /** Whether the topic has a quota with a limit. */
    public boolean limits(Topic topic) {
        return hasSize(of(topic, BacklogQuotaType.destination_storage))
                || hasAge(of(topic, BacklogQuotaType.message_age));
    }

    /** As Pulsar reads it: a size counts from 0 on. */
    public static boolean hasSize(BacklogQuotaImpl quota) {
        return quota.getLimitSize() >= 0;
    }

    /** As Pulsar reads it: an age counts above 0. */
    public static boolean hasAge(BacklogQuotaImpl quota) {
        return quota.getLimitTime() > 0;
    }
}
