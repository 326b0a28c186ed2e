package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.Connection;
import io.sluice.transactions.SingleTransaction;
import org.apache.pulsar.common.api.proto.CommandEndTxn;
import org.apache.pulsar.common.api.proto.TxnAction;
import org.apache.pulsar.common.protocol.Commands;

/**
 * END_TXN: commits or aborts. Answered when all partitions have the outcome, so that a client that is told of a commit finds its messages. For
 * a while it may be repeated, by a client that did not hear the answer; Pulsar says then that there is no such transaction.
 */
final class EndTxnHandler {
    private EndTxnHandler() {}

    static void handle(Connection c, CommandEndTxn command) {
        long requestId = command.getRequestId();
        var transaction = new SingleTransaction(command.getTxnidMostBits(), command.getTxnidLeastBits());
        boolean commit = command.hasTxnAction() && command.getTxnAction() == TxnAction.COMMIT;
        c.services()
                .transactions()
                .end(transaction, c.transactions().user(), commit)
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        c.send(Commands.serializeWithSize(Commands.newEndTxnResponse(
                                requestId, transaction.number(), transaction.coordinator())));
                    } else {
                        TransactionCommands.Refused refused = TransactionCommands.Refused.of(failure);
                        c.send(Commands.serializeWithSize(Commands.newEndTxnResponse(
                                requestId,
                                transaction.number(),
                                transaction.coordinator(),
                                refused.error(),
                                refused.text())));
                    }
                });
    }
}
