package io.sluice.broker.access;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A user by name, the same one in both protocols (Kafka's {@code User:name}, Pulsar's role), with the facts of the connection that an
 * {@link Authorizer} may want.
 *
 * @param groups as the token says or the user's record; empty if there are none
 * @param authentication how the name was proved
 * @param listener name of the listener by which the client came; empty if that is not known
 * @param host the client's address, as digits; empty if that is not known
 * @param proxy acts for the client, whose address is the proxy's then, and has to be allowed what the client does; null if none does
 */
public record Principal(
        String name,
        Set<String> groups,
        Authentication authentication,
        String listener,
        String host,
        @Nullable Principal proxy) {
    /** Name under which HTTP requests carry the principal along with them. */
    public static final String ATTRIBUTE = "io.sluice.principal";

    private static final String NOBODY = "ANONYMOUS";

    /** Principal of a connection that is not authenticated, by Kafka's name. */
    public static final Principal ANONYMOUS = anonymous("", "");

    public Principal {
        groups = Set.copyOf(groups);
    }

    /** A client that comes by itself. */
    public Principal(String name, Set<String> groups, Authentication authentication, String listener, String host) {
        this(name, groups, authentication, listener, host, null);
    }

    /** A user of whom only the name is known. */
    public Principal(String name) {
        this(name, Set.of(), Authentication.NONE, "", "");
    }

    /** Principal of a client of an open listener. */
    public static Principal anonymous(String listener, String host) {
        return new Principal(NOBODY, Set.of(), Authentication.NONE, listener, host);
    }

    /** The same client, for whom a proxy acts. */
    public Principal through(Principal actor) {
        return new Principal(name, groups, authentication, listener, host, actor);
    }

    /** The same client without its proxy. */
    public Principal itself() {
        return proxy == null ? this : new Principal(name, groups, authentication, listener, host);
    }

    @Override
    public String toString() {
        return "User:" + name;
    }
}
