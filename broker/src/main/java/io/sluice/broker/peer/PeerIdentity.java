package io.sluice.broker.peer;

/**
 * This process, as it presents itself to other nodes.
 *
 * @param clusterId nodes of other clusters are refused
 * @param node number of the node
 * @param incarnation of the process
 */
public record PeerIdentity(String clusterId, int node, String incarnation) {
    /** Maximum length of each of the two names. */
    public static final int MOST_CHARS = 200;

    public PeerIdentity {
        if (clusterId.length() > MOST_CHARS || incarnation.length() > MOST_CHARS) {
            throw new IllegalArgumentException(
                    "a name of a cluster or a process has " + MOST_CHARS + " characters at most");
        }
    }
}
