package io.sluice.store.membership;

import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.membership.NodeRecord.State;
import java.io.IOException;

/** Deletes the record of a node that does not run. A later process with its id takes its place as a new node does. */
public final class ForgetNode {
    private ForgetNode() {}

    /** Outcome of {@link #run}. */
    public enum Result {
        FORGOTTEN,
        /** Its record was written meanwhile, or may have been; nothing is changed. */
        RUNS,
        /** There is no record of it. */
        UNKNOWN
    }

    /**
     * Waits for the time of the node's lease, if it has not stopped in order, in which a node that runs writes its record; blocks.
     *
     * @throws IOException the metadata cannot be reached
     */
    public static Result run(Metadata metadata, String nodeId, LeaseClock clock)
            throws IOException, InterruptedException {
        String path = LiveNodes.ROOT + "/" + nodeId;
        Metadata.Versioned stored = metadata.get(path);
        if (stored == null) {
            return Result.UNKNOWN;
        }
        NodeRecord record = NodeRecord.decode(stored.value());
        if (record.state() != State.DOWN) {
            clock.pause(record.lease());
        }
        try {
            metadata.delete(path, stored.version());
            return Result.FORGOTTEN;
        } catch (Metadata.VersionMismatch written) {
            return Result.RUNS;
        }
    }
}
