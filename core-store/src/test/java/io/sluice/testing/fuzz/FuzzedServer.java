package io.sluice.testing.fuzz;

/** A server in this process, with a client of each kind: one that damages its requests, and its well-behaved neighbour. */
public interface FuzzedServer extends AutoCloseable {
    /** Makes a round's server. */
    @FunctionalInterface
    interface Opener {
        FuzzedServer open(long seed) throws Exception;
    }

    /**
     * Plays one sequence of requests on a connection of its own, and looks at each answer. Called by several threads.
     *
     * @return requests sent
     * @throws AssertionError the connection is stuck, or an answer is not what a client may get
     */
    int play(long seed) throws Exception;

    /** The neighbour writes something and reads it back. Called by one thread, again and again. */
    void neighbour() throws Exception;

    /** Everything the neighbour wrote is there, exactly, and nothing else; then it leaves. */
    void neighbourLeaves() throws Exception;

    /** Bytes that requests hold. */
    long requestMemoryUsed();

    int openConnections();

    @Override
    void close();
}
