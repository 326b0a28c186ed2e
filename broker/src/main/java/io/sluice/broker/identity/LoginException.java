package io.sluice.broker.identity;

/** A client is not who it says, or does not prove it. The message is for the client: it tells nothing of what is stored. */
public sealed class LoginException extends Exception permits ProxyRoles.IllegalException {
    public LoginException(String message) {
        super(message, null, false, false);
    }
}
