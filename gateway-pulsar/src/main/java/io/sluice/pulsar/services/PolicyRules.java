package io.sluice.pulsar.services;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig.TopicCreation;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.topic.NamespaceRules;
import io.sluice.pulsar.topic.TopicLists;
import java.util.List;
import java.util.Objects;
import org.apache.pulsar.common.policies.data.SubscriptionAuthMode;
import org.apache.pulsar.common.policies.data.TopicType;
import org.apache.pulsar.common.policies.data.impl.AutoTopicCreationOverrideImpl;
import org.jspecify.annotations.Nullable;

/** Rules by the policies of the namespace, else by the server's settings. */
public record PolicyRules(TopicCreation ofServer, NamespacePolicies policies, TopicCatalogue catalogue)
        implements NamespaceRules {
    @Override
    public TopicCreation onUse(String tenant, String namespace) {
        AutoTopicCreationOverrideImpl rule = TopicPolicies.TOPIC_CREATION.inNamespace(policies, tenant, namespace);
        if (rule == null) {
            return ofServer;
        }
        boolean partitioned = TopicType.PARTITIONED.toString().equals(rule.getTopicType());
        return new TopicCreation(
                rule.isAllowAutoTopicCreation(),
                partitioned ? Objects.requireNonNullElse(rule.getDefaultNumPartitions(), 1) : 0);
    }

    @Override
    public @Nullable String whyNoMore(TopicName name, int more) {
        Integer most = TopicPolicies.MAX_TOPICS.inNamespace(policies, name.tenant(), name.namespace());
        if (most == null || most == 0) {
            return null;
        }
        long there = TopicLists.in(catalogue, name.tenant(), name.namespace()).stream()
                .map(Topic::partitions)
                .mapToInt(List::size)
                .sum();
        return there + more <= most ? null : "Exceed maximum number of topics in namespace.";
    }

    @Override
    public boolean roleFirst(String tenant, String namespace) {
        return TopicPolicies.SUBSCRIPTION_AUTH_MODE.inNamespace(policies, tenant, namespace)
                == SubscriptionAuthMode.Prefix;
    }

    @Override
    public long version() {
        return policies.version();
    }
}
