package io.sluice.pulsar.topic;

import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig.TopicCreation;
import org.jspecify.annotations.Nullable;

/** Which topics are made when they are used, how, and how many a namespace may have. Any thread. */
public interface CreationRules {
    TopicCreation onUse(String tenant, String namespace);

    /**
     * Why the namespace can have no more topics; null if it can.
     *
     * @param more topics, each partition being one
     */
    @Nullable
    String whyNoMore(TopicName name, int more);

    /** The same everywhere, and as many as are wanted. */
    static CreationRules of(TopicCreation creation) {
        return new CreationRules() {
            @Override
            public TopicCreation onUse(String tenant, String namespace) {
                return creation;
            }

            @Override
            public @Nullable String whyNoMore(TopicName name, int more) {
                return null;
            }
        };
    }
}
