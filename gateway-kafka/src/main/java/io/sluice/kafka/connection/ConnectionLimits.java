package io.sluice.kafka.connection;

import java.time.Duration;

/**
 * Limits of connections and their requests.
 *
 * @param maxConnections open at a time; further ones are closed as they come
 * @param maxRequestBytes one request; a longer one closes its connection
 * @param maxInFlight requests of one connection under way at a time, where their API allows more than one; further ones wait in the socket
 * @param requestMemory bytes of requests under way on all connections together; over it sockets are not read, see
 *     {@link io.sluice.broker.memory.RequestMemory}. As much again may lie in answers that clients have stopped reading; over
 *     that the longest stalled connections are closed
 * @param maxIdle without traffic and without a request under way, a connection is closed
 * @param maxStall a request that began to arrive and gets no more bytes for this long closes its connection
 * @param maxUnread an answer of which the client takes nothing for this long closes its connection
 */
public record ConnectionLimits(
        int maxConnections,
        int maxRequestBytes,
        int maxInFlight,
        long requestMemory,
        Duration maxIdle,
        Duration maxStall,
        Duration maxUnread) {

    public ConnectionLimits {
        if (maxConnections < 1 || maxRequestBytes < 1024 || maxInFlight < 1 || requestMemory < 1024) {
            throw new IllegalArgumentException("limits too small: " + maxConnections + " connections, "
                    + maxRequestBytes + " bytes a request, " + maxInFlight + " in flight, " + requestMemory + " bytes");
        }
        if (maxIdle.toMillis() < 1 || maxStall.toMillis() < 1 || maxUnread.toMillis() < 1) {
            throw new IllegalArgumentException("a time limit must be at least 1 ms");
        }
    }

    /** Sized for a small server: 128 MiB of requests under way, Kafka's 100 MiB request limit and 10 minutes of idleness. */
    public static ConnectionLimits defaults() {
        return new ConnectionLimits(
                20_000,
                100 << 20,
                64,
                128L << 20,
                Duration.ofMinutes(10),
                Duration.ofSeconds(60),
                Duration.ofMinutes(5));
    }
}
