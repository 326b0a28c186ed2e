package io.sluice.kafka.api;

import io.sluice.broker.access.Principal;
import org.apache.kafka.common.security.auth.KafkaPrincipal;

/** A client as Kafka's own modules know it, which hand it back to our authorizer. */
public final class ClientPrincipal extends KafkaPrincipal {
    private final Principal principal;

    ClientPrincipal(Principal principal) {
        super(KafkaPrincipal.USER_TYPE, principal.name());
        this.principal = principal;
    }

    /** The client behind what Kafka's modules were given. */
    public static Principal of(KafkaPrincipal kafka) {
        return kafka instanceof ClientPrincipal client ? client.principal : new Principal(kafka.getName());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClientPrincipal client && client.principal.equals(principal);
    }

    @Override
    public int hashCode() {
        return principal.hashCode();
    }
}
