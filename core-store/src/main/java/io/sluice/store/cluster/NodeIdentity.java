package io.sluice.store.cluster;

import java.util.UUID;

/**
 * Holder of a lease.
 *
 * @param nodeId stays over restarts: a node takes over at once from its own dead process
 * @param incarnation new with every start of the process
 */
public record NodeIdentity(String nodeId, UUID incarnation) {
    public NodeIdentity {
        if (nodeId.isEmpty() || nodeId.chars().anyMatch(Character::isWhitespace)) {
            throw new IllegalArgumentException("a node id is one word, not '" + nodeId + "'");
        }
    }
}
