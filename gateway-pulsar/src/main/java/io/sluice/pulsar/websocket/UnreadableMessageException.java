package io.sluice.pulsar.websocket;

/** A message whose bytes are not what its producer should have sent. */
final class UnreadableMessageException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableMessageException(String why) {
        super(why, null, false, false);
    }
}
