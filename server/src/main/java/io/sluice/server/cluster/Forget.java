package io.sluice.server.cluster;

import io.sluice.server.membership.NodeFacts;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.membership.ForgetNode;
import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import java.io.IOException;
import java.util.UUID;

/** Has a cluster forget a node or a bookie that does not come back. */
public final class Forget {
    private Forget() {}

    /**
     * Removes a node's record; blocks for the time of its lease.
     *
     * @return its id
     * @throws RefusedException it runs, or is not known
     */
    public static String node(PulsarMetadata metadata, int number)
            throws IOException, InterruptedException, RefusedException {
        String id = NodeFacts.identity(number, new UUID(0, 0)).nodeId();
        return switch (ForgetNode.run(metadata, id, LeaseClock.SYSTEM)) {
            case FORGOTTEN -> id;
            case RUNS -> throw new RefusedException(id + " runs: stop it first");
            case UNKNOWN -> throw new RefusedException("there is no " + id + " in this cluster");
        };
    }

    /**
     * Removes what a bookie has left of itself.
     *
     * @throws RefusedException it is registered, its copies are needed, or it is not known
     */
    public static void bookie(PulsarMetadata metadata, String id) throws IOException, RefusedException {
        switch (RegisteredBookie.forget(metadata, id)) {
            case FORGOTTEN -> {}
            case RUNS -> throw new RefusedException("bookie " + id + " is registered: stop it first");
            case NEEDED ->
                throw new RefusedException("pieces of the log have a copy on bookie " + id
                        + ": autorecovery copies them to other bookies when it has been lost for a while");
            case UNKNOWN -> throw new RefusedException("there is no bookie " + id + " in this cluster");
        }
    }
}
