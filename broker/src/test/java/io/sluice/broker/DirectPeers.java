package io.sluice.broker;

import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerHandler.Asked;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.Peers;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Nodes of one process that ask each other without a wire. */
public final class DirectPeers {
    private final Map<Integer, PeerHandlers> handlers = new ConcurrentHashMap<>();
    private volatile boolean cut;
    private volatile boolean hangs;

    public PeerHandlers handlers(int node) {
        return handlers.computeIfAbsent(node, n -> new PeerHandlers());
    }

    /** True from when no node reaches another. */
    public void cut(boolean now) {
        cut = now;
    }

    /** True from when no node hears another, nor is told so. */
    public void hang(boolean now) {
        hangs = now;
    }

    public Peers of(int from) {
        return (to, question, timeout) -> {
            if (cut) {
                return CompletableFuture.failedFuture(
                        new PeerException(Reason.UNREACHABLE, "node " + to + " is cut off"));
            }
            long deadline = System.nanoTime() + timeout.toNanos();
            return hangs
                    ? new CompletableFuture<>()
                    : handlers(to)
                            .answer(question.kind(), new Asked(from, question.version(), question.body(), deadline));
        };
    }
}
