package io.sluice.pulsar.config;

import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.topic.PulsarNames;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the gateway. {@link #defaults} gives what a single node on loopback wants.
 *
 * @param host address to bind
 * @param port 0 for any free port
 * @param advertisedHost host that look-ups answer; null answers the address the client connected to
 * @param advertisedPort port that look-ups answer; 0 answers the port the client connected to
 * @param listeners service URL by listener name, for clients that ask for one
 * @param httpUrl web service URL that look-ups over HTTP answer
 * @param clusterName name of the cluster in the admin interface
 * @param instance unique per start of the process; prefix of the producer names made here
 * @param topics what happens to topics that do not exist
 * @param deduplication drop entries a producer sends again, by its name and sequence id
 * @param compactionThreshold bytes that may come to a partition before it is compacted, unless its topic or namespace says otherwise; 0
 *     for any number
 * @param limits bounds of everything a client can make grow
 * @param security who is let in
 */
public record PulsarGatewayConfig(
        String host,
        int port,
        @Nullable String advertisedHost,
        int advertisedPort,
        Map<String, String> listeners,
        String httpUrl,
        String clusterName,
        String instance,
        TopicCreation topics,
        boolean deduplication,
        long compactionThreshold,
        Limits limits,
        ListenerSecurity security) {

    /** Version of this server, as clients are told. */
    public static final String SERVER_VERSION = "Sluice-0.1.0";

    public PulsarGatewayConfig {
        listeners = Map.copyOf(listeners);
        checkPort("port", port);
        checkPort("advertised port", advertisedPort);
        if (!PulsarNames.isNamedEntity(clusterName)) {
            throw new IllegalArgumentException("a cluster cannot be named '" + clusterName + "'");
        }
    }

    /** A listener that lets everybody in. */
    public PulsarGatewayConfig(
            String host,
            int port,
            @Nullable String advertisedHost,
            int advertisedPort,
            Map<String, String> listeners,
            String httpUrl,
            String clusterName,
            String instance,
            TopicCreation topics,
            boolean deduplication,
            long compactionThreshold,
            Limits limits) {
        this(
                host,
                port,
                advertisedHost,
                advertisedPort,
                listeners,
                httpUrl,
                clusterName,
                instance,
                topics,
                deduplication,
                compactionThreshold,
                limits,
                ListenerSecurity.OPEN);
    }

    /** Whether clients speak TLS. */
    public boolean isTls() {
        return security.tls() != null;
    }

    /** Whether clients must say who they are. */
    public boolean isAuthenticated() {
        return !security.ways().isEmpty();
    }

    private static void checkPort(String name, int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("the pulsar " + name + " must be 0 to 65535, not " + port);
        }
    }

    public static PulsarGatewayConfig defaults(String host, int port, String instance) {
        return new PulsarGatewayConfig(
                host,
                port,
                null,
                0,
                Map.of(),
                "http://" + host + ":8080",
                "standalone",
                instance,
                new TopicCreation(true, 0),
                true,
                0,
                Limits.DEFAULTS);
    }

    /**
     * @param automatic a producer or consumer of an unknown topic creates it
     * @param partitions of a topic created so; 0 makes it non-partitioned
     */
    public record TopicCreation(boolean automatic, int partitions) {
        public TopicCreation {
            if (partitions < 0 || partitions > 10_000) {
                throw new IllegalArgumentException(
                        "partitions of automatically created topics must be 0 to 10000, not " + partitions);
            }
        }
    }

    /**
     * @param maxMessageBytes largest message or batch; also told to clients, who chunk above it
     * @param publishBytes unanswered publishes of all connections together; above it sockets are not read
     * @param pendingSends unanswered publishes of one connection
     * @param outboundBytes queued for one connection before its subscriptions stop sending to it
     * @param unackedMessages per consumer of a Shared or Key_Shared subscription, which gets no more until half of them are acknowledged
     * @param unackedOfSubscription of all consumers of such a subscription together, likewise
     * @param lookAhead entries a Key_Shared or Shared subscription holds back for busy consumers
     * @param connections open at one time
     * @param handshake time from connect to CONNECT
     * @param keepAlive silence after which the client is pinged, and after as much again dropped
     * @param streamGrace for a stream consumer whose connection is gone, before others get its segments; Pulsar has no setting
     *     for it
     * @param quotaChecks time between two looks at the backlogs that have a quota
     * @param inactivityChecks time between two looks at the topics that are deleted when nobody uses them
     */
    public record Limits(
            int maxMessageBytes,
            long publishBytes,
            int pendingSends,
            int outboundBytes,
            int unackedMessages,
            int unackedOfSubscription,
            int lookAhead,
            int connections,
            Duration handshake,
            Duration keepAlive,
            Duration streamGrace,
            Duration quotaChecks,
            Duration inactivityChecks) {
        public static final Limits DEFAULTS = new Limits(
                5 * 1024 * 1024,
                64L * 1024 * 1024,
                1_000,
                1024 * 1024,
                50_000,
                200_000,
                2_000,
                20_000,
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                Duration.ofSeconds(60),
                Duration.ofSeconds(60));

        public Limits {
            if (maxMessageBytes < 1024 || maxMessageBytes > 512 * 1024 * 1024) {
                throw new IllegalArgumentException("max message size must be 1 KiB to 512 MiB, not " + maxMessageBytes);
            }
            if (publishBytes < maxMessageBytes) {
                throw new IllegalArgumentException("publish budget must hold at least one message of the maximum size");
            }
        }
    }
}
