package io.sluice.pulsar.format;

/** A stored entry whose metadata does not read. Sends are checked; an older server checked less. */
public final class MalformedEntryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedEntryException(String message) {
        super(message);
    }
}
