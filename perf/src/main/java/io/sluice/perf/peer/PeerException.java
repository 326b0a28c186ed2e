package io.sluice.perf.peer;

/** A system could not be fetched or started; the message is one line that a user can act on. */
public final class PeerException extends Exception {
    private static final long serialVersionUID = 1;

    public PeerException(String message) {
        super(message);
    }

    public PeerException(String message, Throwable cause) {
        super(message, cause);
    }
}
