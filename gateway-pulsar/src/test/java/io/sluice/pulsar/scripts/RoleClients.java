package io.sluice.pulsar.scripts;

import io.jsonwebtoken.Jwts;
import java.security.Key;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Authentication;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;

/** Clients of one server, each with a token of its role. */
final class RoleClients implements AutoCloseable {
    /** Place of a server. */
    record Place(String serviceUrl, String httpUrl) {}

    private final Place place;
    private final Key secret;
    private final Map<String, PulsarClient> clients = new HashMap<>();
    private final Map<String, PulsarAdmin> admins = new HashMap<>();

    /** @param secret that signs tokens which the server takes */
    RoleClients(Place place, Key secret) {
        this.place = place;
        this.secret = secret;
    }

    private Authentication token(String role) {
        return AuthenticationFactory.token(
                Jwts.builder().subject(role).signWith(secret).compact());
    }

    PulsarClient client(String role) throws PulsarClientException {
        PulsarClient known = clients.get(role);
        if (known == null) {
            known = PulsarClient.builder()
                    .serviceUrl(place.serviceUrl)
                    .authentication(token(role))
                    .operationTimeout(15, TimeUnit.SECONDS)
                    .ioThreads(1)
                    .listenerThreads(1)
                    .build();
            clients.put(role, known);
        }
        return known;
    }

    PulsarAdmin admin(String role) throws PulsarClientException {
        PulsarAdmin known = admins.get(role);
        if (known == null) {
            known = PulsarAdmin.builder()
                    .serviceHttpUrl(place.httpUrl)
                    .authentication(token(role))
                    .readTimeout(30, TimeUnit.SECONDS)
                    .build();
            admins.put(role, known);
        }
        return known;
    }

    @Override
    public void close() throws PulsarClientException {
        for (PulsarClient each : clients.values()) {
            each.close();
        }
        admins.values().forEach(PulsarAdmin::close);
    }
}
