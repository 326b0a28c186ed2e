package io.sluice.pulsar.dispatch;

import io.sluice.pulsar.wire.OutFrame;

/** The connection of a consumer, as seen from the container's loop. Any thread. */
public interface ConsumerOutlet {
    /** False while too much is queued for the connection; the consumer's subscription is woken when that is over. On its loop. */
    boolean ready(Consumer consumer);

    /** Bytes that may be queued before no consumer is ready; not positive if there is no room. */
    long room();

    /** Queues the frame; ownership passes, also when the connection is gone. */
    void send(OutFrame frame);

    /** Tells the client to subscribe again (after a new look-up), and forgets the consumer. */
    void closeConsumer(Consumer consumer);

    /**
     * As {@link #closeConsumer}, since the partition is not here any more: what the client has acknowledged before it hears of it is carried
     * out when it has subscribed again.
     */
    void partitionLeft(Consumer consumer);

    /** Sends the client on to the cluster that the topic has migrated to, and forgets the consumer. */
    void topicMigrated(Consumer consumer);

    /** Whether the client goes to another cluster when it is told to. */
    boolean followsMigration();

    /** Tells the client whether the consumer is the one that is served, if it still has the consumer. */
    void activeChanged(Consumer consumer, boolean active);

    /** Tells the client that the topic was terminated and the consumer's subscription has all of it. */
    void endOfTopic(Consumer consumer);

    /** Whether the connection is still open. */
    boolean connected();

    /** {@code host:port} of the client. */
    String address();

    /** As the client says it; empty if it does not. */
    String clientVersion();
}
