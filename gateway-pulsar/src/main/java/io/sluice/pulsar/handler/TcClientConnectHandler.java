package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.Connection;
import io.sluice.transactions.TransactionError;
import org.apache.pulsar.common.api.proto.CommandTcClientConnectRequest;
import org.apache.pulsar.common.protocol.Commands;

/**
 * TC_CLIENT_CONNECT_REQUEST: whether this node answers for a transaction coordinator. While it is loaded the client is told that it is
 * not found, and comes again.
 */
final class TcClientConnectHandler {
    private TcClientConnectHandler() {}

    static void handle(Connection c, CommandTcClientConnectRequest command) {
        TransactionError why = c.services().transactions().check(command.getTcId());
        TransactionCommands.Refused refused = why == null ? null : TransactionCommands.Refused.of(why);
        c.send(Commands.serializeWithSize(Commands.newTcClientConnectResponse(
                command.getRequestId(),
                refused == null ? null : refused.error(),
                refused == null ? null : refused.text())));
    }
}
