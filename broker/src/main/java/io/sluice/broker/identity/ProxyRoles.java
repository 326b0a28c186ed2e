package io.sluice.broker.identity;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Users that are proxies of Pulsar's: each acts for other clients, of whom it says who they are, and for none but those.
 *
 * @param names of users
 */
public record ProxyRoles(Set<String> names) {
    /** There are no proxies. */
    public static final ProxyRoles NONE = new ProxyRoles(Set.of());

    /** The client has proved who it is, and may not name, or not leave out, another. */
    public static final class IllegalException extends LoginException {
        private static final long serialVersionUID = 1;

        IllegalException(String message) {
            super(message);
        }
    }

    public ProxyRoles {
        names = Set.copyOf(names);
    }

    /**
     * Whether the user is to act for the client that it names.
     *
     * @param original that client, or empty where none is named
     * @return false if no client is named
     */
    public boolean check(String user, @Nullable String original) throws IllegalException {
        boolean named = original != null && !original.isBlank();
        if (names.contains(user)) {
            if (!named) {
                throw new IllegalException("a proxy has to name the original principal");
            }
            if (names.contains(original)) {
                throw new IllegalException("the original principal cannot be a proxy");
            }
        } else if (named) {
            throw new IllegalException("only a proxy may name an original principal");
        }
        return named;
    }
}
