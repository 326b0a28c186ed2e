package io.sluice.store.cluster;

import java.io.IOException;
import java.time.Duration;

/** A right that one process of the cluster has at a time, and knows when it has it no more. Any thread. */
public interface Lease {
    /** Name of what is held, in the words of a log line: {@code container 3}. */
    String name();

    /** False for good once the owner must not act by it any more. As cheap as reading a clock. */
    boolean held();

    /** Until it runs out without being renewed; zero if it has. */
    Duration left();

    /**
     * Extends the lease by its duration from now; blocks.
     *
     * @return whether it is still held; false is for good
     * @throws IOException the metadata cannot be reached: the lease stays held until it runs out, so try again
     */
    boolean renew() throws IOException;

    /** Tells other processes that the container serves from now on, in this term; blocks. */
    default void tellServing(long term) throws IOException {}

    /** Gives it free at once; blocks. */
    void release() throws IOException;
}
