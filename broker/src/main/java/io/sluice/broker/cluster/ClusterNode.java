package io.sluice.broker.cluster;

import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A server of the cluster.
 *
 * @param id stays over restarts; Kafka's broker id
 * @param incarnation new with every start of its process
 * @param rack where it stands, as the operator names it; empty if that was not said
 * @param endpoints by listener: {@link #KAFKA}, {@link #PULSAR}, {@link #HTTP}, {@link #INTERNAL}; one that does not listen
 *     yet is missing
 */
public record ClusterNode(int id, UUID incarnation, String rack, Map<String, Endpoint> endpoints) {
    public static final String KAFKA = "kafka";
    public static final String PULSAR = "pulsar";
    public static final String HTTP = "http";
    /** Other nodes connect there, no clients. */
    public static final String INTERNAL = "internal";

    private static final UUID ONLY_INCARNATION = new UUID(0, 0);

    public ClusterNode {
        endpoints = Map.copyOf(endpoints);
    }

    /** A node whose process no other node has to tell from an earlier one, in no rack. */
    public ClusterNode(int id, Map<String, Endpoint> endpoints) {
        this(id, ONLY_INCARNATION, "", endpoints);
    }

    public @Nullable Endpoint endpoint(String listener) {
        return endpoints.get(listener);
    }

    /** The same node with these endpoints. */
    public ClusterNode listeningAt(Map<String, Endpoint> changed) {
        return new ClusterNode(id, incarnation, rack, changed);
    }
}
