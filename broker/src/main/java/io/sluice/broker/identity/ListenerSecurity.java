package io.sluice.broker.identity;

import io.sluice.broker.access.Authentication;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules of a listener: whether it speaks TLS, and how its clients say who they are.
 *
 * @param tls null for none
 * @param ways of authentication, one of which a client must take; empty lets everybody in
 * @param identities who is asked; null where there are no ways
 */
public record ListenerSecurity(
        @Nullable ServerTls tls,
        Set<Authentication> ways,
        @Nullable Identities identities) {
    /** Everybody is let in, without TLS. */
    public static final ListenerSecurity OPEN = new ListenerSecurity(null, Set.of(), null);

    public ListenerSecurity {
        ways = Set.copyOf(ways);
        if (!ways.isEmpty() && identities == null) {
            throw new IllegalArgumentException("authentication wants somebody who knows the users");
        }
    }

    /** Identities that are asked; null if everybody is let in. */
    public @Nullable Identities guard() {
        return ways.isEmpty() ? null : identities;
    }
}
