package io.sluice.pulsar;

/** The gateway cannot start; the message is one line for the user. */
public final class PulsarGatewayException extends Exception {
    public PulsarGatewayException(String message) {
        super(message, null, false, false);
    }
}
