package io.sluice.broker.peer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The other nodes of the cluster, to be asked something. Any thread; never blocks.
 *
 * <pre>
 *   ask ─► queue of the node, bounded ─► connection ─► {@link PeerHandler} there ─► answer, or why there is none
 * </pre>
 *
 * <p><b>Order.</b> None: a later question may be answered first. <b>Failure.</b> The future fails with a {@link PeerException}, at the
 * deadline at the latest; whether the other node has done what it was asked is then told by {@link PeerException#mayHaveHappened}.
 * <b>Idempotence.</b> Nothing is asked twice: whoever asks again asks what may be repeated.
 */
public interface Peers {
    /**
     * Asks a node. The future completes on a thread of the network, so what is chained to it must not block; whoever gives up cancels it.
     *
     * @param node number of the node, which may be this one
     * @param timeout until the answer must have come, connecting included; up to {@link #MOST_WAIT}
     */
    CompletableFuture<byte[]> ask(int node, PeerQuestion question, Duration timeout);

    /** Maximum bytes of a question's or an answer's body. */
    int MOST_BYTES = 32 << 20;

    /** Maximum time for an answer. */
    Duration MOST_WAIT = Duration.ofMinutes(5);

    /** No other node: that of a server which has the store alone. */
    Peers NONE = (node, question, timeout) -> CompletableFuture.failedFuture(
            new PeerException(PeerException.Reason.UNREACHABLE, "this server has no other nodes to ask"));
}
