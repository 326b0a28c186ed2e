package io.sluice.perf.peer;

import java.nio.file.Path;
import java.util.List;

/**
 * A system that can be started beside others on this machine. {@link #prepare} comes before the first {@link #start}; starts
 * of one contender may follow each other, each with a folder of its own.
 */
public interface Contender {
    /** As on the command line. */
    String name();

    /** Whose stock clients can drive it: kafka, pulsar or pravega; at least one. */
    List<String> protocols();

    /** Fetches or builds what a start needs; costs little when that is there already. */
    void prepare() throws PeerException, InterruptedException;

    /**
     * Starts and waits until it serves.
     *
     * @param folder empty, for its data and nothing else; closing the server deletes it
     */
    RunningServer start(Path folder) throws PeerException, InterruptedException;
}
