package io.sluice.kafka;

/** The gateway cannot listen; the message is one line that says why and what to do. */
public final class GatewayStartException extends Exception {
    GatewayStartException(String message) {
        super(message, null, false, false);
    }
}
