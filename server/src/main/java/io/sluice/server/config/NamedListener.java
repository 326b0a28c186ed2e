package io.sluice.server.config;

import io.sluice.broker.access.Authentication;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A listener beside the first one of its protocol. Everything but the port may be left out.
 *
 * @param host address to listen on; loopback if it is left out
 * @param port to listen on; 0 for any free one
 * @param advertisedHost that clients of this listener are told; empty means {@code host}
 * @param advertisedPort that they are told; 0 means the port listened on
 * @param tls whether it speaks TLS
 * @param authentication as {@link Ways} has it
 */
public record NamedListener(
        String host, Integer port, String advertisedHost, Integer advertisedPort, Boolean tls, String authentication) {
    /** Fields that a file leaves out come as null. */
    public NamedListener(
            @Nullable String host,
            @Nullable Integer port,
            @Nullable String advertisedHost,
            @Nullable Integer advertisedPort,
            @Nullable Boolean tls,
            @Nullable String authentication) {
        this.host = Objects.requireNonNullElse(host, "127.0.0.1");
        this.port = Objects.requireNonNullElse(port, 0);
        this.advertisedHost = Objects.requireNonNullElse(advertisedHost, "");
        this.advertisedPort = Objects.requireNonNullElse(advertisedPort, 0);
        this.tls = Objects.requireNonNullElse(tls, false);
        this.authentication = Objects.requireNonNullElse(authentication, "");
        Checks.notBlank("a listener's host", this.host);
        Checks.inRange("a listener's port", this.port, 0, 65_535);
        Checks.inRange("a listener's advertisedPort", this.advertisedPort, 0, 65_535);
        Ways.check("a listener's ", this.tls, this.authentication);
    }

    /** Ways in which a client may say who it is; empty if none is asked for. */
    public Set<Authentication> ways() {
        return Ways.of("a listener's ", authentication);
    }

    /** Listeners by names that other nodes are told. */
    static Map<String, NamedListener> checked(String setting, Map<String, NamedListener> listeners) {
        listeners.forEach((name, listener) -> {
            Checks.matches(
                    setting + "' name", name, "[A-Za-z0-9][A-Za-z0-9_-]{0,63}", "letters, digits and any of _ -");
            Checks.given(setting + "." + name, listener);
        });
        return Map.copyOf(listeners);
    }

    /** Host that clients are told. */
    public String told() {
        return advertisedHost.isEmpty() ? host : advertisedHost;
    }
}
