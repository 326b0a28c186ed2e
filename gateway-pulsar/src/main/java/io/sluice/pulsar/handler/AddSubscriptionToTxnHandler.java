package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.pulsar.connection.Connection;
import io.sluice.transactions.SingleTransaction;
import org.apache.pulsar.common.api.proto.CommandAddSubscriptionToTxn;
import org.apache.pulsar.common.api.proto.Subscription;
import org.apache.pulsar.common.protocol.Commands;

/** ADD_SUBSCRIPTION_TO_TXN: subscriptions in which the transaction will acknowledge. Answered when that is durable. */
final class AddSubscriptionToTxnHandler {
    private AddSubscriptionToTxnHandler() {}

    static void handle(Connection c, CommandAddSubscriptionToTxn command) {
        long requestId = command.getRequestId();
        var transaction = new SingleTransaction(command.getTxnidMostBits(), command.getTxnidLeastBits());
        TransactionCommands.Added added = new TransactionCommands.Added();
        try {
            for (int i = 0; i < command.getSubscriptionsCount(); i++) {
                Subscription of = command.getSubscriptionAt(i);
                added.add(c, Operation.READ, of.getTopic(), of.getSubscription());
            }
        } catch (TransactionCommands.Refused refused) {
            refuse(c, requestId, transaction, refused);
            return;
        }
        added.to(c, transaction).whenComplete((done, failure) -> {
            if (failure == null) {
                c.send(Commands.newAddSubscriptionToTxnResponse(
                        requestId, transaction.number(), transaction.coordinator()));
            } else {
                refuse(c, requestId, transaction, TransactionCommands.Refused.of(failure));
            }
        });
    }

    private static void refuse(
            Connection c, long requestId, SingleTransaction transaction, TransactionCommands.Refused refused) {
        c.send(Commands.newAddSubscriptionToTxnResponse(
                requestId, transaction.number(), transaction.coordinator(), refused.error(), refused.text()));
    }
}
