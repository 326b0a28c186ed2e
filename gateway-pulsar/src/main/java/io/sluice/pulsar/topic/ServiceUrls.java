package io.sluice.pulsar.topic;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where clients are told to connect. */
public final class ServiceUrls {
    private static final String SCHEME = "pulsar://";
    private static final String SCHEME_TLS = "pulsar+ssl://";

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
        return scheme(config) + (host == null ? literal(local) : host) + ":" + (port == 0 ? local.getPort() : port);
    }

    /** All nodes of a cluster have the same listeners. */
    private static String scheme(PulsarGatewayConfig config) {
        return config.isTls() ? SCHEME_TLS : SCHEME;
    }

    /** The URL if it is for clients without TLS, else null: Pulsar's commands have a field for either. */
    public static @Nullable String plain(@Nullable String url) {
        return url == null || url.startsWith(SCHEME_TLS) ? null : url;
    }

    /** The URL if it is for clients with TLS, else null. */
    public static @Nullable String secure(@Nullable String url) {
        return url == null || !url.startsWith(SCHEME_TLS) ? null : url;
    }

    /** URL of another node's binary protocol; null if unknown. */
    public static @Nullable String binaryOf(PulsarGatewayConfig config, ClusterNode other) {
        return binaryOf(config, other, "");
    }

    /**
     * URL of another node's binary protocol; null if unknown, or if it has no such listener.
     *
     * @param listener empty if the client named none
     */
    public static @Nullable String binaryOf(PulsarGatewayConfig config, ClusterNode other, String listener) {
        Endpoint endpoint = other.endpoint(listener.isEmpty() ? ClusterNode.PULSAR : nameOf(listener));
        return endpoint == null ? null : scheme(config) + endpoint;
    }

    /** Name by which other nodes know a listener that clients name. */
    private static String nameOf(String listener) {
        return ClusterNode.PULSAR + ":" + listener;
    }

    /** Endpoints of the listeners that clients may name, as other nodes are told; those that are not plain are not. */
    public static Map<String, Endpoint> named(PulsarGatewayConfig config) {
        Map<String, Endpoint> endpoints = new HashMap<>();
        config.listeners().forEach((name, url) -> {
            URI at = URI.create(url);
            if (url.startsWith(SCHEME) && at.getHost() != null && at.getPort() > 0) {
                endpoints.put(nameOf(name), new Endpoint(hostOf(at), at.getPort()));
            }
        });
        return endpoints;
    }

    private static String hostOf(URI at) {
        String host = at.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** URL of another node's admin interface, with TLS if this one's has it; empty if unknown. */
    public static String httpOf(PulsarGatewayConfig config, ClusterNode other) {
        Endpoint endpoint = other.endpoint(ClusterNode.HTTP);
        return endpoint == null ? "" : (config.httpUrl().startsWith("https:") ? "https://" : "http://") + endpoint;
    }

    private static String literal(InetSocketAddress a) {
        String host = a.getAddress().getHostAddress();
        int zone = host.indexOf('%');
        String plain = zone < 0 ? host : host.substring(0, zone);
        return plain.indexOf(':') < 0 ? plain : '[' + plain + ']';
    }
}
