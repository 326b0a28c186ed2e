package io.sluice.kafka;

import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.kafka.connection.ConnectionLimits;
import io.sluice.kafka.handler.TopicPolicy;
import java.util.List;
import java.util.stream.Stream;

/**
 * The gateway's settings.
 *
 * @param listener where it listens and what it tells clients
 * @param others listeners beside that one
 * @param ioThreads Netty loops; 0 chooses by the number of processors
 * @param sessions what fetch sessions may take
 */
public record KafkaGatewayConfig(
        Listener listener,
        List<Listener> others,
        int ioThreads,
        ConnectionLimits limits,
        TopicPolicy topics,
        Sessions sessions) {

    public KafkaGatewayConfig {
        others = List.copyOf(others);
        if (ioThreads < 0) {
            throw new IllegalArgumentException("threads cannot be negative");
        }
    }

    /** With one listener. */
    public KafkaGatewayConfig(
            Listener listener, int ioThreads, ConnectionLimits limits, TopicPolicy topics, Sessions sessions) {
        this(listener, List.of(), ioThreads, limits, topics, sessions);
    }

    /** Whether a listener wants to know its clients. */
    boolean asksClients() {
        return Stream.concat(Stream.of(listener), others.stream())
                .anyMatch(each -> each.security().guard() != null);
    }

    /**
     * @param name as in Kafka's listener names, for logs and authorizers
     * @param bindHost address to listen on
     * @param port 0 for any free one
     * @param advertisedHost what clients are told to connect to
     * @param advertisedPort 0 for the port that was bound
     * @param security who is let in
     */
    public record Listener(
            String name,
            String bindHost,
            int port,
            String advertisedHost,
            int advertisedPort,
            ListenerSecurity security) {
        /** A listener that lets everybody in. */
        public Listener(String name, String bindHost, int port, String advertisedHost, int advertisedPort) {
            this(name, bindHost, port, advertisedHost, advertisedPort, ListenerSecurity.OPEN);
        }

        public Listener {
            if (name.isBlank() || bindHost.isBlank() || advertisedHost.isBlank()) {
                throw new IllegalArgumentException("a listener needs a name, a host and an advertised host");
            }
            if (port < 0 || port > 0xffff || advertisedPort < 0 || advertisedPort > 0xffff) {
                throw new IllegalArgumentException("ports are 0 to 65535");
            }
        }

        public static Listener local(int port) {
            return new Listener("PLAINTEXT", "127.0.0.1", port, "127.0.0.1", 0);
        }
    }

    /**
     * @param maxSessions incremental fetch sessions of all clients together
     * @param maxPartitions partitions in them together, {@link #PARTITION_BYTES} each
     * @param waitingBytes heap of fetches that wait for data, and of what sessions watch; what goes beyond it is answered up to half a
     *     second late
     */
    public record Sessions(int maxSessions, long maxPartitions, long waitingBytes) {
        /** Heap of one partition in a session: 220 were measured. */
        public static final int PARTITION_BYTES = 256;

        public Sessions {
            if (maxSessions < 0 || maxPartitions < 0 || waitingBytes < 0) {
                throw new IllegalArgumentException("session limits cannot be negative");
            }
        }
    }

    /** For one server on the loopback; records of 5 MB pass. Fetches are kept smaller than Kafka's,
     * since an answer pins the cache until the client has taken it. */
    public static KafkaGatewayConfig local(int port) {
        return new KafkaGatewayConfig(
                Listener.local(port),
                0,
                ConnectionLimits.defaults(),
                new TopicPolicy(true, 1, 8 << 20, true, 16 << 20, TopicPolicy.Retention.DEFAULT),
                new Sessions(1000, 200_000, 16 << 20));
    }
}
