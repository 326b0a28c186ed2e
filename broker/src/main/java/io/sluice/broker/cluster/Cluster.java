package io.sluice.broker.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The servers that share the store. Any thread; answered from memory, and so a little behind what is so. */
public interface Cluster {
    /** Cluster id; never changes. */
    String id();

    /** This process. */
    ClusterNode self();

    /** Nodes that are alive, this one among them, by id. */
    List<ClusterNode> nodes();

    /** Node that clients are to ask for what the container holds; null if none is known to serve it, or if that seems to be gone. */
    @Nullable
    ClusterNode ownerOf(int container);

    /** Whether this node hears of the others. If not, it serves nothing and knows of no owner: clients are to ask another node. */
    default boolean isCurrent() {
        return true;
    }

    /** Term in which that node serves the container; -1 if it is not known. Terms of a container only rise. */
    default long termOf(int container) {
        return -1;
    }

    /** Node that assigns containers to nodes; null if none is known. */
    @Nullable
    default ClusterNode controller() {
        return self();
    }

    /** Tells clients and other nodes where this one listens; before it accepts the first connection. */
    void advertise(String listener, Endpoint endpoint);

    /** Calls {@code listener} on an unspecified thread after nodes, endpoints or owners have changed. */
    void onChange(Runnable listener);

    /** The listener is not called any more, but for a change that is being told. */
    void offChange(Runnable listener);

    /** Takes a node that refuses connections for gone, until it renews its lease again: clients are not sent there. */
    default void consult(Refusals refusals) {}

    default boolean isSelf(ClusterNode node) {
        return node.id() == self().id();
    }
}
