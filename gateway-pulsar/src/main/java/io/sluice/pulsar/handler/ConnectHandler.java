package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.wire.Replies;
import org.apache.pulsar.common.api.proto.CommandConnect;

/**
 * CONNECT. Every client is let in: authentication is not there yet, so credentials are neither asked for nor looked at, as
 * on a Pulsar broker with authentication off. Answers the newest protocol version both speak, the largest message, and the
 * flags of the features that are there. {@code proxy_to_broker_url} is for proxies and is not looked at.
 */
final class ConnectHandler {
    private static final String VERSION = "Sluice-0.1.0";

    private ConnectHandler() {}

    static void handle(Connection c, CommandConnect command) {
        int version = Math.clamp(command.getProtocolVersion(), 0, Replies.newestVersion());
        c.connected(version);
        c.send(Replies.connected(
                VERSION, version, c.services().config().limits().maxMessageBytes()));
    }
}
