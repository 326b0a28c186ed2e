package io.sluice.kafka.api;

import io.sluice.broker.access.Operation;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.topic.Topic;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Leaders that one answer names beside its errors, and where their nodes are (KIP-951): the client goes there without asking for metadata.
 * For one thread.
 */
public final class NamedLeaders {
    private final KafkaServices services;
    private final ClientConnection client;
    private final Operation operation;
    private final Map<Integer, ClusterNode> nodes = new TreeMap<>();

    /** @param operation that the client came for */
    public NamedLeaders(KafkaServices services, ClientConnection client, Operation operation) {
        this.services = services;
        this.client = client;
        this.operation = operation;
    }

    /**
     * Finds a partition's leader. Clients do not follow one without an epoch, and so are not told of it.
     *
     * @param topic empty when {@code id} is given instead
     */
    public @Nullable PartitionLeader find(String topic, Uuid id, int partition) {
        return services.access().find(client.principal(), operation, topic, id)
                                instanceof TopicLookup.Found(Topic found)
                        && KafkaServices.hasPartition(found, partition)
                ? find(found, partition)
                : null;
    }

    private @Nullable PartitionLeader find(Topic topic, int partition) {
        PartitionLeader leader = services.leader(topic, partition, client);
        ClusterNode node = leader.node();
        if (node == null || leader.epoch() < 0) {
            return null;
        }
        nodes.put(node.id(), node);
        return leader;
    }

    /** Address of such a node, for the client. */
    public Endpoint endpoint(ClusterNode node) {
        return KafkaServices.endpoint(node, client);
    }

    /** Nodes of all leaders found, by id; each has an endpoint for clients. */
    public Collection<ClusterNode> nodes() {
        return nodes.values();
    }
}
