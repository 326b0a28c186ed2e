package io.sluice.broker.peer;

import java.util.concurrent.CompletableFuture;

/** Answers what other nodes ask, of one kind. */
public interface PeerHandler {
    /**
     * Begins to answer, on a thread of the network: never blocks. How many questions are open at a time is bounded by the transport.
     *
     * @return the answer's body, {@link Peers#MOST_BYTES} at most, or a failure: a {@link PeerException} is told to the node that asked,
     *     anything else is a defect
     */
    CompletableFuture<byte[]> answer(Asked asked);

    /**
     * A question that has arrived.
     *
     * @param from number of the node that asks
     * @param version of the body's form; none that is above what the handler was registered with
     * @param body the handler's
     * @param deadline after which nobody waits for the answer any more, by {@link System#nanoTime}
     */
    record Asked(int from, short version, byte[] body, long deadline) {}
}
