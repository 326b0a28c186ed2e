package io.sluice.server.membership;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.membership.Controller;
import io.sluice.store.membership.LiveNodes;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** A node's record in the terms of {@link ClusterNode}. */
public final class NodeFacts {
    public static final String VERSION = "version";
    /** Before the name of a listener; the value is {@code host:port}. */
    static final String LISTENER = "listener.";

    private static final String NODE = "node-";

    private NodeFacts() {}

    /** Identity of a new process of the node. */
    public static NodeIdentity identity(int number, UUID incarnation) {
        return new NodeIdentity(NODE + number, incarnation);
    }

    static Map<String, String> of(String rack, String version) {
        Map<String, String> facts = new HashMap<>(Map.of(VERSION, version));
        if (!rack.isEmpty()) {
            facts.put(Controller.RACK, rack);
        }
        return facts;
    }

    /** The node as its record tells. */
    public static ClusterNode node(LiveNodes.Node node) {
        Map<String, Endpoint> endpoints = new HashMap<>();
        node.record().facts().forEach((fact, value) -> {
            if (fact.startsWith(LISTENER)) {
                endpoints.put(fact.substring(LISTENER.length()), Endpoint.parse(value));
            }
        });
        return new ClusterNode(
                number(node.identity()),
                node.identity().incarnation(),
                node.record().facts().getOrDefault(Controller.RACK, ""),
                endpoints);
    }

    private static int number(NodeIdentity node) {
        return Integer.parseInt(node.nodeId().substring(NODE.length()));
    }
}
