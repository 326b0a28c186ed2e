package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.Connection;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;

/**
 * Commands that get a clear no: watching the scalable topics of a namespace.
 */
final class UnsupportedHandler {
    private static final ServerError NO = ServerError.NotAllowedError;

    private UnsupportedHandler() {}

    static void handle(Connection c, BaseCommand command) {
        switch (command.getType()) {
            case WATCH_SCALABLE_TOPICS ->
                c.send(Commands.newWatchScalableTopicsError(
                        command.getWatchScalableTopics().getWatchId(),
                        NO,
                        "watching the scalable topics of a namespace is not supported"));
            default -> throw new IllegalArgumentException("not an unsupported command: " + command.getType());
        }
    }
}
