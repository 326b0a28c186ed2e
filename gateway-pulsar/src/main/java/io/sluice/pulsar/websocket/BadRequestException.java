package io.sluice.pulsar.websocket;

/** A request that cannot be carried out as it is, and why, for its client. */
final class BadRequestException extends Exception {
    private static final long serialVersionUID = 1L;

    BadRequestException(String why) {
        super(why, null, false, false);
    }
}
