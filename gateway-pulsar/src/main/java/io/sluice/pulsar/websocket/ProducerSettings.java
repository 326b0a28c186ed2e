package io.sluice.pulsar.websocket;

import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.HashingScheme;
import org.apache.pulsar.client.api.MessageRoutingMode;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a producer, as its handshake gives them.
 *
 * @param name null if the server is to choose one
 * @param initialSequenceId null to go on behind what was published under this name
 * @param sendTimeout milliseconds after which a message counts as not sent; 0 for never
 * @param roundRobin whether messages without a key go to all partitions in turn; else they go to one
 * @param batch most messages of a batch; 1 for none
 * @param batchDelay milliseconds that a message waits for others
 */
record ProducerSettings(
        @Nullable String name,
        @Nullable Long initialSequenceId,
        HashingScheme hashing,
        long sendTimeout,
        boolean roundRobin,
        CompressionType compression,
        int batch,
        long batchDelay) {
    private static final int SEND_TIMEOUT = 30_000;
    private static final int MESSAGES = 1_000;

    static ProducerSettings of(Parameters given) throws BadRequestException {
        MessageRoutingMode routing =
                given.choice("messageRoutingMode", MessageRoutingMode.class, MessageRoutingMode.SinglePartition);
        boolean batches = given.flag("batchingEnabled");
        return new ProducerSettings(
                given.text("producerName"),
                given.has("initialSequenceId")
                        ? (Long) given.number("initialSequenceId", 0L, -1L, Long.MAX_VALUE - 1)
                        : null,
                given.choice("hashingScheme", HashingScheme.class, HashingScheme.JavaStringHash),
                given.number("sendTimeoutMillis", SEND_TIMEOUT, 0, Integer.MAX_VALUE),
                routing == MessageRoutingMode.RoundRobinPartition,
                given.choice("compressionType", CompressionType.class, CompressionType.NONE),
                batches ? given.number("batchingMaxMessages", MESSAGES, 1, MESSAGES) : 1,
                given.number("batchingMaxPublishDelay", 1, 0, 60_000));
    }
}
