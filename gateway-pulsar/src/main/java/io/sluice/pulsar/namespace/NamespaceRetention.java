package io.sluice.pulsar.namespace;

import io.sluice.broker.retention.Retention;
import io.sluice.broker.topic.TopicName;
import java.util.Optional;
import org.apache.pulsar.common.policies.data.RetentionPolicies;

/** How long topics of a namespace keep what is acknowledged, where the topic does not say it. The size holds per partition, as Kafka's. */
public record NamespaceRetention(NamespacePolicies policies) {
    private static final long MILLIS_PER_MINUTE = 60_000;
    private static final long BYTES_PER_MEGABYTE = 1 << 20;

    /** Empty where the namespace says nothing. */
    public Optional<Retention> of(TopicName topic) {
        RetentionPolicies of = TopicPolicies.RETENTION.inNamespace(policies, topic.tenant(), topic.namespace());
        return Optional.ofNullable(of)
                .map(set -> new Retention(
                        inUnits(set.getRetentionTimeInMinutes(), MILLIS_PER_MINUTE),
                        inUnits(set.getRetentionSizeInMB(), BYTES_PER_MEGABYTE)));
    }

    private static long inUnits(long limit, long unit) {
        return limit < 0 ? -1 : Math.multiplyExact(limit, unit);
    }
}
