package io.sluice.server.config;

import org.jspecify.annotations.Nullable;

/**
 * The cluster, and this node of it.
 *
 * @param nodeId null if it is not given
 * @param rack empty if it is not known
 */
public record Cluster(
        @Described("Name that Pulsar's clients see; empty means `standalone`, or `sluice` of `server`.")
        String name,

        @Described(
                "*`server` only.* Number of this node, from 0 on, which no other has and which stays; Kafka's broker id.")
        @Nullable
        Integer nodeId,

        @Described(
                "*`server` only.* Where this node stands, for example a zone; containers are spread over racks, and clients are told.")
        String rack) {
    public Cluster {
        Checks.given("cluster.name", name);
        Checks.matches("cluster.name", name, "[A-Za-z0-9._-]*", "letters, digits and any of . _ -");
        Checks.given("cluster.rack", rack);
        Checks.matches("cluster.rack", rack, "\\S*", "no white space");
        if (nodeId != null) {
            Checks.inRange("cluster.nodeId", nodeId, 0, Integer.MAX_VALUE);
        }
    }

    static Cluster defaults() {
        return new Cluster("", null, "");
    }

    /** The name, or that of those who gave none. */
    public String nameOr(String otherwise) {
        return name.isEmpty() ? otherwise : name;
    }
}
