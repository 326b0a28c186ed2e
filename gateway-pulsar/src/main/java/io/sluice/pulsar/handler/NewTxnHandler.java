package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.ClientTransactions;
import io.sluice.pulsar.connection.Connection;
import org.apache.pulsar.common.api.proto.CommandNewTxn;
import org.apache.pulsar.common.protocol.Commands;

/**
 * NEW_TXN: opens a transaction, and answers when that is durable. A transaction is aborted after the time the client gives it, 1 ms at
 * least and 24 days at most. It belongs to the client's user: see {@link ClientTransactions#user}.
 */
final class NewTxnHandler {
    private NewTxnHandler() {}

    static void handle(Connection c, CommandNewTxn command) {
        long requestId = command.getRequestId();
        long coordinator = command.getTcId();
        long asked = command.getTxnTtlMillis();
        // An unsigned number.
        long timeout = asked < 0 ? Integer.MAX_VALUE : Math.clamp(asked, 1, Integer.MAX_VALUE);
        c.services()
                .transactions()
                .begin(coordinator, timeout, c.transactions().owner())
                .whenComplete((begun, failure) -> {
                    if (failure == null) {
                        c.send(Commands.serializeWithSize(
                                Commands.newTxnResponse(requestId, begun.number(), begun.coordinator())));
                    } else {
                        TransactionCommands.Refused refused = TransactionCommands.Refused.of(failure);
                        c.send(Commands.serializeWithSize(
                                Commands.newTxnResponse(requestId, coordinator, refused.error(), refused.text())));
                    }
                });
    }
}
