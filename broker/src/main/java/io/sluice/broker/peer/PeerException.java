package io.sluice.broker.peer;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Why another node has given no answer. Expected, so without a stack trace; the message is one line. */
public final class PeerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Ways in which a question ends without an answer. */
    public enum Reason {
        /** There is no connection to the node: it was not asked. Retriable. */
        UNREACHABLE(false),
        /** The connection broke after the question was sent. Retriable by whoever asks what may be repeated. */
        CONNECTION_LOST(true),
        /** No answer came in time. Retriable by whoever asks what may be repeated. */
        TIMED_OUT(true),
        /** This node or the other one has too much to do: nothing was done. Retriable after a pause. */
        OVERLOADED(false),
        /** The node does not own what it was asked about: nothing was done. Retriable once the owner is known. */
        NOT_OWNER(false),
        /** The other node declined, and would again. */
        REFUSED(false),
        /** The node runs another version, which does not know the question: nothing was done. */
        NOT_KNOWN(false),
        /** The other node failed to carry it out, by a defect of its own: its log says more. */
        FAILED(true);

        private final boolean mayHaveHappened;

        Reason(boolean mayHaveHappened) {
            this.mayHaveHappened = mayHaveHappened;
        }
    }

    private final Reason reason;

    public PeerException(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    /** Whether the other node may have done, or may still do, what it was asked. */
    public boolean mayHaveHappened() {
        return reason.mayHaveHappened;
    }

    /** Whether it may go well the next time. */
    public boolean isRetriable() {
        return switch (reason) {
            case UNREACHABLE, CONNECTION_LOST, TIMED_OUT, OVERLOADED, NOT_OWNER -> true;
            case REFUSED, NOT_KNOWN, FAILED -> false;
        };
    }

    /** Reason that ended a future, if it is one of these; else null. */
    public static @Nullable PeerException in(@Nullable Throwable ended) {
        Throwable why = ended;
        while ((why instanceof CompletionException || why instanceof ExecutionException) && why.getCause() != null) {
            why = why.getCause();
        }
        return why instanceof PeerException known ? known : null;
    }
}
