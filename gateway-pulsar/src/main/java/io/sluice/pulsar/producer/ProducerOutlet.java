package io.sluice.pulsar.producer;

/** The connection of a producer, as seen from the container's loop. Any thread. */
public interface ProducerOutlet {
    /** Tells the client to create its producer again, and forgets the producer. */
    void closeProducer(ProducerSession producer);

    /** As {@link #closeProducer}, since the partition is not here any more: told with where it is, if that is known soon. */
    void partitionLeft(ProducerSession producer);

    /** Sends the client on to the cluster that the topic has migrated to, and forgets the producer. */
    void topicMigrated(ProducerSession producer);

    /** Whether the connection is still open. */
    boolean connected();

    /** {@code host:port} of the client. */
    String address();

    /** As the client says it; empty if it does not. */
    String clientVersion();
}
