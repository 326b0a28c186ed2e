package io.sluice.pulsar.services;

import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicSeen;
import io.sluice.pulsar.hub.DeleteUnused;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Durable subscriptions that clients make while a topic changes: a classic one gets partitions, a scalable one other segments. What is made
 * in the partitions that the client knows is made in those that come, too; else messages sent there would be missed.
 */
public final class NewSubscriptions {
    private NewSubscriptions() {}

    /** Whether {@link #make} is to make it; asked on the loop of a partition, in the turn that would make it there. */
    public static boolean isOfSeveral(GatewayServices services, Topic topic) {
        return services.scalable().hasSegmentsIn(topic.name())
                || services.catalogue().growth().mayHaveNewPartitions(topic);
    }

    /**
     * Makes a subscription of a partition, and of all that go with it, where it is not there; complete means durable. Fails with a {@link
     * io.sluice.broker.topic.TopicException}.
     *
     * @param partition -1 for a non-partitioned topic
     * @param start where it begins; on the loop of a partition
     */
    public static CompletableFuture<Void> make(
            GatewayServices services,
            Topic topic,
            int partition,
            String name,
            Map<String, String> properties,
            SubscriptionStart start) {
        return services.scalable().hasSegmentsIn(topic.name())
                ? services.scalable()
                        .subscriptions()
                        .create(new Parsed(topic.name(), partition), name, properties, start)
                : services.catalogue()
                        .growth()
                        .subscribe(TopicSeen.of(topic), Math.max(0, partition), name, properties, start);
    }

    /**
     * A client has deleted a subscription in a partition. If it has done so wherever it knows of it, the partitions that the topic got
     * meanwhile have it no more, either, when this is complete, but for those where it is used.
     *
     * @param topic as the client found it
     */
    public static CompletableFuture<Void> deleted(GatewayServices services, TopicSeen topic, String name) {
        Topic now = services.catalogue().find(topic.id());
        if (now == null || !services.catalogue().growth().mayHaveGrown(topic, now)) {
            return CompletableFuture.completedFuture(null);
        }
        return services.catalogue().growth().unsubscribed(topic, name, new DeleteUnused(name, services.hubs()));
    }
}
