package io.sluice.broker.cluster;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A server of the cluster.
 *
 * @param id stays over restarts; Kafka's broker id
 * @param endpoints by listener: {@link #KAFKA}, {@link #PULSAR}, {@link #HTTP}; one that does not listen yet is missing
 */
public record ClusterNode(int id, Map<String, Endpoint> endpoints) {
    public static final String KAFKA = "kafka";
    public static final String PULSAR = "pulsar";
    public static final String HTTP = "http";

    public ClusterNode {
        endpoints = Map.copyOf(endpoints);
    }

    public @Nullable Endpoint endpoint(String listener) {
        return endpoints.get(listener);
    }
}
