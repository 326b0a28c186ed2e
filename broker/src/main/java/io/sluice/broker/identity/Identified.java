package io.sluice.broker.identity;

import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Principal;
import java.util.Set;

/**
 * A client that has proved who it is.
 *
 * @param expiresAt end of the proof in milliseconds since the epoch; {@link #NEVER} if it has none
 */
public record Identified(String name, Set<String> groups, Authentication way, long expiresAt) {
    public static final long NEVER = Long.MAX_VALUE;

    /** The same as what an authorizer gets. */
    public Principal principal(String listener, String host) {
        return new Principal(name, groups, way, listener, host);
    }
}
