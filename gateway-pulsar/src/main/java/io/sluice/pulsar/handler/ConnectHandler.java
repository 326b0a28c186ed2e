package io.sluice.pulsar.handler;

import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.wire.Replies;
import org.apache.pulsar.common.api.proto.CommandConnect;

/**
 * CONNECT. Every client is let in: authentication is not there yet, so credentials are neither asked for nor looked at, as
 * on a Pulsar broker with authentication off. Answers the newest protocol version both speak, the largest message, and the
 * flags of the features that are there. {@code proxy_to_broker_url} is for proxies and is not looked at.
 */
final class ConnectHandler {
    /** Characters; kept while the client is connected. */
    private static final int MAX_CLIENT_VERSION = 256;

    private ConnectHandler() {}

    static void handle(Connection c, CommandConnect command) {
        int version = Math.clamp(command.getProtocolVersion(), 0, Replies.newestVersion());
        String client = command.getClientVersion();
        c.connected(version, client.substring(0, Math.min(client.length(), MAX_CLIENT_VERSION)));
        c.send(Replies.connected(
                PulsarGatewayConfig.SERVER_VERSION,
                version,
                c.services().config().limits().maxMessageBytes()));
    }
}
