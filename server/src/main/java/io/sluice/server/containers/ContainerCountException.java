package io.sluice.server.containers;

/** The number of containers was not changed, or not all the way; the message says why in one line. */
public final class ContainerCountException extends Exception {
    private final Reason reason;

    /** Whose turn it is to do something about it. */
    public enum Reason {
        /** No such number can be had. */
        BAD_NUMBER,
        /** It cannot be had as things are: containers hold something, or another change is under way. Nothing was changed. */
        CONFLICT,
        /** The metadata, the log or long-term storage does not do its part: the same again goes on where this ended. */
        UNAVAILABLE
    }

    ContainerCountException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
