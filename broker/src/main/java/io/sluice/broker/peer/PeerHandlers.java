package io.sluice.broker.peer;

import io.sluice.broker.peer.PeerException.Reason;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handlers of what other nodes ask, by kind. Any thread. */
public final class PeerHandlers {
    private static final Logger log = LoggerFactory.getLogger(PeerHandlers.class);

    private final Map<Short, Registered> byKind = new ConcurrentHashMap<>();

    private record Registered(short newest, PeerHandler handler) {}

    /**
     * Answers questions of the kind from now on.
     *
     * @param newest version that is known; all below it are known, too
     */
    public void add(short kind, int newest, PeerHandler handler) {
        if (byKind.putIfAbsent(kind, new Registered((short) newest, handler)) != null) {
            throw new IllegalStateException("questions of kind " + kind + " have a handler");
        }
    }

    /** Begins to answer; what is not known fails with NOT_KNOWN, as between servers of different versions. */
    public CompletableFuture<byte[]> answer(short kind, PeerHandler.Asked asked) {
        Registered found = byKind.get(kind);
        if (found == null || asked.version() > found.newest()) {
            return CompletableFuture.failedFuture(new PeerException(
                    Reason.NOT_KNOWN, "version " + asked.version() + " of question " + kind + " is not known here"));
        }
        try {
            return found.handler().answer(asked).exceptionallyCompose(why -> failed(kind, why));
        } catch (RuntimeException e) {
            return failed(kind, e);
        }
    }

    private static CompletableFuture<byte[]> failed(short kind, Throwable why) {
        PeerException known = PeerException.in(why);
        if (known != null) {
            return CompletableFuture.failedFuture(known);
        }
        log.error("A question of kind {} of another node could not be answered", kind, why);
        return CompletableFuture.failedFuture(new PeerException(Reason.FAILED, "question " + kind + " failed: " + why));
    }
}
