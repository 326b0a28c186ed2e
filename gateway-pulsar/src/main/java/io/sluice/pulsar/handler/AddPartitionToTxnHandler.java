package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.pulsar.connection.Connection;
import io.sluice.transactions.SingleTransaction;
import org.apache.pulsar.common.api.proto.CommandAddPartitionToTxn;
import org.apache.pulsar.common.protocol.Commands;

/** ADD_PARTITION_TO_TXN: partitions that the transaction will write to. Answered when that is durable. */
final class AddPartitionToTxnHandler {
    private AddPartitionToTxnHandler() {}

    static void handle(Connection c, CommandAddPartitionToTxn command) {
        long requestId = command.getRequestId();
        var transaction = new SingleTransaction(command.getTxnidMostBits(), command.getTxnidLeastBits());
        TransactionCommands.Added added = new TransactionCommands.Added();
        try {
            for (int i = 0; i < command.getPartitionsCount(); i++) {
                added.add(c, Operation.WRITE, command.getPartitionAt(i), null);
            }
        } catch (TransactionCommands.Refused refused) {
            refuse(c, requestId, transaction, refused);
            return;
        }
        added.to(c, transaction).whenComplete((done, failure) -> {
            if (failure == null) {
                c.send(Commands.newAddPartitionToTxnResponse(
                        requestId, transaction.number(), transaction.coordinator()));
            } else {
                refuse(c, requestId, transaction, TransactionCommands.Refused.of(failure));
            }
        });
    }

    private static void refuse(
            Connection c, long requestId, SingleTransaction transaction, TransactionCommands.Refused refused) {
        c.send(Commands.newAddPartitionToTxnResponse(
                requestId, transaction.number(), transaction.coordinator(), refused.error(), refused.text()));
    }
}
