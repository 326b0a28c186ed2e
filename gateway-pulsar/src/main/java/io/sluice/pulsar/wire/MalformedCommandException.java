package io.sluice.pulsar.wire;

/** A client sent no command, or none that it may send now. It ends the connection, and nothing else does so by this type. */
public final class MalformedCommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedCommandException(String message) {
        super(message, null, false, false);
    }
}
