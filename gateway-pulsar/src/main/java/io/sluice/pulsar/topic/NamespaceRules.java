package io.sluice.pulsar.topic;

import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig.TopicCreation;
import org.jspecify.annotations.Nullable;

/** Rules of a namespace for the use of its topics: which are made by it, how many there may be, and by which subscriptions. Any thread. */
public interface NamespaceRules {
    TopicCreation onUse(String tenant, String namespace);

    /**
     * Why the namespace can have no more topics; null if it can.
     *
     * @param more topics, each partition being one
     */
    @Nullable
    String whyNoMore(TopicName name, int more);

    /** Whether the name of a subscription has to begin with that of who uses it. */
    boolean roleFirst(String tenant, String namespace);

    /** Another number after each change. */
    long version();
}
