package io.sluice.pulsar.scripts;

import java.util.List;

/** One random script on one server, in two halves between which the server is started again. What is done depends on the seed alone. */
interface Script extends AutoCloseable {
    /** What each step came to, so far. */
    List<String> answers();

    void run(int steps) throws Exception;

    /** Waits until all are connected again; the answer is what they get. */
    void restarted() throws Exception;

    /** Leaves each subscription to one new consumer, which gets all that is not acknowledged. */
    void finish() throws Exception;

    @Override
    void close() throws Exception;
}
