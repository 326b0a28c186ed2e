package io.sluice.pulsar.handler;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.Login;
import io.sluice.pulsar.connection.Login.Credentials;
import io.sluice.pulsar.services.IntroducedClients;
import io.sluice.pulsar.wire.MalformedCommandException;
import io.sluice.pulsar.wire.Replies;
import org.apache.pulsar.common.api.proto.AuthData;
import org.apache.pulsar.common.api.proto.CommandAuthResponse;
import org.apache.pulsar.common.api.proto.CommandConnect;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * CONNECT. A listener without authentication lets every client in and does not look at its credentials, as a Pulsar broker does; one that has it
 * answers when they have been checked. Answers the newest protocol version both speak, the largest message, and the
 * flags of the features that are there. {@code proxy_to_broker_url} is for proxies and is not looked at.
 *
 * <p>Difference on purpose: what a client has shown to its proxy is checked whenever the proxy passes it on, and has to be its own.
 */
final class ConnectHandler {
    /** Characters; kept while the client is connected. */
    private static final int MAX_CLIENT_VERSION = 256;

    private ConnectHandler() {}

    static void handle(Connection c, CommandConnect command) {
        int version = Math.clamp(command.getProtocolVersion(), 0, Replies.newestVersion());
        String named = command.getClientVersion();
        String client = named.substring(0, Math.min(named.length(), MAX_CLIENT_VERSION));
        if (command.hasAuthMethodName() && command.getAuthMethodName().equals(IntroducedClients.METHOD)) {
            introduced(c, command, version, client);
            return;
        }
        Login login = c.login();
        if (!login.isRequired()) {
            connected(c, version, client);
            return;
        }
        if (login.isUnderWay()) {
            throw new MalformedCommandException("CONNECT is not expected now");
        }
        boolean refreshes =
                command.hasFeatureFlags() && command.getFeatureFlags().isSupportsAuthRefresh();
        login.connect(
                new Credentials(
                        command.hasAuthMethodName() ? command.getAuthMethodName() : "",
                        command.hasAuthData() ? command.getAuthData() : new byte[0]),
                original(command),
                new Login.Peer(refreshes, version),
                () -> connected(c, version, client));
    }

    /** Another node connects for a client of its own. */
    private static void introduced(Connection c, CommandConnect command, int version, String client) {
        if (c.isConnected()) {
            throw new MalformedCommandException("CONNECT is not expected now");
        }
        IntroducedClients.Introduced known =
                c.services().introduced().take(command.hasAuthData() ? command.getAuthData() : new byte[0]);
        if (known == null) {
            c.login().close(ServerError.AuthenticationError, "no node has introduced this client");
        } else if (c.adopt(known)) {
            connected(c, version, client);
        }
    }

    /** Null if the client acts for itself. */
    private static Login.@Nullable Original original(CommandConnect command) {
        if (!command.hasOriginalPrincipal()) {
            return null;
        }
        String shown = command.hasOriginalAuthData() ? command.getOriginalAuthData() : "";
        String method = command.hasOriginalAuthMethod() ? command.getOriginalAuthMethod() : "";
        return new Login.Original(
                command.getOriginalPrincipal(),
                shown.isEmpty() ? null : new Credentials(method, shown.getBytes(UTF_8)));
    }

    private static void connected(Connection c, int version, String client) {
        c.connected(version, client);
        c.send(Replies.connected(
                PulsarGatewayConfig.SERVER_VERSION,
                version,
                c.services().config().limits().maxMessageBytes()));
    }

    /** AUTH_RESPONSE: the client authenticates again, when it was asked to. */
    static void handle(Connection c, CommandAuthResponse command) {
        if (command.hasResponse()) {
            AuthData shown = command.getResponse();
            c.login()
                    .refresh(new Credentials(
                            shown.hasAuthMethodName() ? shown.getAuthMethodName() : "",
                            shown.hasAuthData() ? shown.getAuthData() : new byte[0]));
        }
    }
}
