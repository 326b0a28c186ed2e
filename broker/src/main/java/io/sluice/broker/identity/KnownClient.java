package io.sluice.broker.identity;

import io.sluice.broker.access.Principal;
import io.sluice.store.tls.RevokedCertificates;
import org.jspecify.annotations.Nullable;

/**
 * A client that one listener has let in, for another part of the process that goes on with it.
 *
 * @param rules of the listener that let it in
 * @param until end of its session in milliseconds since the epoch; {@link Identified#NEVER} for none
 * @param certificates by which it has proved who it is; null if by none
 */
public record KnownClient(
        ListenerSecurity rules, Principal principal, long until, RevokedCertificates.@Nullable Shown certificates) {
    /** Name under which a request over HTTP has it. */
    public static final String ATTRIBUTE = "knownClient";

    /** A client of a listener that asks nobody. */
    public static KnownClient anonymous(Principal principal) {
        return new KnownClient(ListenerSecurity.OPEN, principal, Identified.NEVER, null);
    }
}
