package io.sluice.server.wiring;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.server.config.ServerConfig;

/**
 * Where clients connect, as they are told.
 *
 * @param kafka {@code host:port}
 * @param pulsar {@code host:port}
 * @param http {@code host:port}
 * @param pulsarScheme of Pulsar's URLs
 * @param httpScheme of HTTP's URLs
 */
public record Listeners(String kafka, String pulsar, String http, String pulsarScheme, String httpScheme) {
    static Listeners of(ClusterNode self, ServerConfig config) {
        return new Listeners(
                String.valueOf(self.endpoint(ClusterNode.KAFKA)),
                String.valueOf(self.endpoint(ClusterNode.PULSAR)),
                String.valueOf(self.endpoint(ClusterNode.HTTP)),
                config.pulsar().tls() ? "pulsar+ssl" : "pulsar",
                httpScheme(config));
    }

    static String httpScheme(ServerConfig config) {
        return config.http().tls() ? "https" : "http";
    }

    public String pulsarUrl() {
        return pulsarScheme + "://" + pulsar;
    }

    public String httpUrl() {
        return httpScheme + "://" + http;
    }
}
