package io.sluice.pulsar.rates;

/**
 * Bounds for the clients of a topic, or of each of its partitions.
 *
 * @param maxMessageBytes largest message or batch; 0 for the server's bound alone
 * @param unackedOfConsumer messages that a consumer of a Shared or Key_Shared subscription may hold; 0 for any number, {@link #OF_SERVER}
 * @param unackedOfSubscription of all consumers of such a subscription together, likewise
 * @param encrypted whether messages must be encrypted
 */
public record TopicBounds(int maxMessageBytes, int unackedOfConsumer, int unackedOfSubscription, boolean encrypted) {
    /** As many as the server's setting says. */
    public static final int OF_SERVER = -1;

    public static final TopicBounds NONE = new TopicBounds(0, OF_SERVER, OF_SERVER, false);

    public boolean isTooLarge(int bytes) {
        return maxMessageBytes > 0 && bytes > maxMessageBytes;
    }
}
