package io.sluice.pulsar.topic;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Where clients are told to connect. */
public final class ServiceUrls {
    private ServiceUrls() {}

    /**
     * @param listener empty if the client named none
     * @param reached the address the client came to
     * @return null if there is no listener of that name
     */
    public static @Nullable String of(PulsarGatewayConfig config, String listener, SocketAddress reached) {
        if (!listener.isEmpty()) {
            return config.listeners().get(listener);
        }
        InetSocketAddress local = (InetSocketAddress) reached;
        String host = config.advertisedHost();
        int port = config.advertisedPort();
        return "pulsar://" + (host == null ? literal(local) : host) + ":" + (port == 0 ? local.getPort() : port);
    }

    /** URL of another node's binary protocol; null if unknown. */
    public static @Nullable String binaryOf(ClusterNode other) {
        Endpoint endpoint = other.endpoint(ClusterNode.PULSAR);
        return endpoint == null ? null : "pulsar://" + endpoint;
    }

    /** URL of another node's admin interface; empty if unknown. */
    public static String httpOf(ClusterNode other) {
        Endpoint endpoint = other.endpoint(ClusterNode.HTTP);
        return endpoint == null ? "" : "http://" + endpoint;
    }

    private static String literal(InetSocketAddress a) {
        String host = a.getAddress().getHostAddress();
        int zone = host.indexOf('%');
        String plain = zone < 0 ? host : host.substring(0, zone);
        return plain.indexOf(':') < 0 ? plain : '[' + plain + ']';
    }
}
