package io.sluice.kafka.api;

import io.sluice.broker.identity.LoginException;
import java.util.List;

/** SASL on a connection of a listener that wants to know its clients. One call at a time, on any thread. */
public interface ClientLogin {
    /** Names of the mechanisms that the listener has. */
    List<String> mechanisms();

    /** Begins an exchange, the first one or another (KIP-368). Gives false if the listener has no such mechanism. */
    boolean begin(String mechanism);

    /** Whether an exchange has begun and not ended. */
    boolean isUnderWay();

    /**
     * Takes what the client sends and gives what it is sent. May compute for milliseconds, and wait where it refuses.
     *
     * @throws LoginException the client is not let in; no other exchange begins on this connection
     */
    byte[] next(byte[] sent) throws LoginException;

    /** Time in milliseconds until the client must have authenticated anew; 0 if it need not. */
    long sessionMillis();
}
