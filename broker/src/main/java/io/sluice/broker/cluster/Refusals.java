package io.sluice.broker.cluster;

import java.util.OptionalLong;

/** Refused connections to other nodes: where nothing listens, the process has ended, long before its lease runs out. */
@FunctionalInterface
public interface Refusals {
    /**
     * Any thread; never blocks.
     *
     * @param node number of the node
     * @return {@link System#nanoTime} of the last refusal; empty if there was none, or a connection since
     */
    OptionalLong refusedAt(int node);
}
