package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.LateAcks.Late;
import io.sluice.pulsar.dispatch.AckReceipt;
import io.sluice.pulsar.dispatch.AckedEntry;
import io.sluice.pulsar.dispatch.TransactionalAcks;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.wire.AckSets;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.SingleTransaction;
import io.sluice.transactions.TransactionError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * ACK: individual and cumulative, whole entries and single messages of a batch. With a request id it is answered when it is
 * durable. Ids of another ledger than the entry has, or past the end, are passed over. A message the client could not make sense of
 * ({@code validation_error}) counts as acknowledged, as in Pulsar. What comes after the
 * partition has gone elsewhere is carried out when the consumer has subscribed anew. In a transaction all messages of one command are acknowledged or
 * none; what is acknowledged already, in another transaction or the same, is a conflict.
 *
 * <p>Difference on purpose: in a segment, acknowledging up to a message again is no conflict, neither in the same transaction nor after it
 * has counted. Pulsar 5's stream consumers name the last message of every segment with each acknowledgement; Pulsar's broker calls that
 * a conflict.
 */
final class AckHandler {
    private AckHandler() {}

    static void handle(Connection c, CommandAck command) {
        long consumerId = command.getConsumerId();
        ClientConsumer consumer = c.attached().consumers().get(consumerId);
        long requestId = command.hasRequestId() ? command.getRequestId() : ConsumerTask.NO_REQUEST;
        Late acked = new Late(entries(command), command.getAckType() == CommandAck.AckType.Cumulative);
        boolean inTransaction = command.hasTxnidLeastBits() && command.hasTxnidMostBits();
        if (consumer == null && NonPersistentConsumerHandler.ack(c, consumerId, requestId, inTransaction)) {
            return;
        }
        if (consumer == null) {
            if (requestId == ConsumerTask.NO_REQUEST && !inTransaction) {
                c.attached().lateAcks().keep(consumerId, acked);
            }
            answer(c, requestId, consumerId, ServerError.ConsumerNotFound, "there is no such consumer");
            return;
        }
        if (inTransaction) {
            var transaction = new SingleTransaction(command.getTxnidMostBits(), command.getTxnidLeastBits());
            if (!transaction.isValid()) {
                answer(c, requestId, consumerId, ServerError.TransactionNotFound, "there is no such transaction");
                return;
            }
            var reply = new InTransaction(c, consumer, requestId, transaction);
            boolean repeats = c.services().scalable().hasSegmentsIn(consumer.topic());
            ConsumerTask.submit(
                    c,
                    consumer,
                    requestId,
                    s -> s.ackIn(
                            consumer.consumer(),
                            transaction.producerId(),
                            acked.entries(),
                            acked.cumulative(),
                            repeats,
                            reply));
            return;
        }
        carryOut(c, consumer, requestId, acked);
    }

    /** Acknowledges, now or when the consumer has subscribed anew. */
    static void carryOut(Connection c, ClientConsumer consumer, long requestId, Late acked) {
        long consumerId = consumer.consumer().id();
        ConsumerTask.submit(
                c,
                consumer,
                requestId,
                s -> s.ack(consumer.consumer(), acked.entries(), acked.cumulative(), new AckReceipt(why -> {
                    if (why == null) {
                        answer(c, requestId, consumerId, null, null);
                    } else {
                        answer(c, requestId, consumerId, ErrorMapping.of(why), why.message());
                    }
                })),
                () -> c.execute(() -> late(c, consumer, acked)));
    }

    /** The consumer's partition was gone when it acknowledged. It may have come back before this is told. */
    private static void late(Connection c, ClientConsumer consumer, Late acked) {
        long consumerId = consumer.consumer().id();
        ClientConsumer now = c.attached().consumers().get(consumerId);
        if (now != null && now != consumer && now.participant().equals(consumer.participant())) {
            carryOut(c, now, ConsumerTask.NO_REQUEST, acked);
        } else {
            c.attached().lateAcks().keep(consumerId, acked);
        }
    }

    private record InTransaction(
            Connection connection, ClientConsumer consumer, long requestId, SingleTransaction transaction)
            implements TransactionalAcks.Reply {
        @Override
        public @Nullable String user() {
            return connection.transactions().name();
        }

        @Override
        public boolean isVerified() {
            return consumer.transactions().contains(transaction)
                    || connection.transactions().usesAll();
        }

        @Override
        public void verified() {
            consumer.transactions().add(transaction);
        }

        @Override
        public void verify(Consumer<TransactionalAcks.@Nullable Refusal> answer) {
            connection
                    .transactions()
                    .verify(
                            transaction,
                            consumer.participant(),
                            why -> answer.accept(why == null ? null : refusal(why)));
        }

        private TransactionalAcks.Refusal refusal(TransactionError why) {
            return new TransactionalAcks.Refusal(
                    ErrorMapping.toAcknowledger(why),
                    "the transaction is not open, or was not told of this subscription: " + transaction + ": " + why);
        }

        @Override
        public void done(@Nullable StoreFailure why) {
            answer(
                    connection,
                    requestId,
                    consumer.consumer().id(),
                    why == null ? null : ErrorMapping.of(why),
                    why == null ? null : why.message());
        }

        @Override
        public void refused(TransactionalAcks.Refusal why) {
            answer(connection, requestId, consumer.consumer().id(), why.error(), why.message());
        }
    }

    private static List<AckedEntry> entries(CommandAck command) {
        List<AckedEntry> entries = new ArrayList<>(command.getMessageIdsCount());
        for (int i = 0; i < command.getMessageIdsCount(); i++) {
            MessageIdData id = command.getMessageIdAt(i);
            long[] ackSet = id.getAckSetsCount() == 0 ? null : AckSets.of(id);
            entries.add(new AckedEntry(id.getLedgerId(), id.getEntryId(), ackSet));
        }
        return entries;
    }

    private static void answer(
            Connection c, long requestId, long consumerId, @Nullable ServerError error, @Nullable String message) {
        if (requestId != ConsumerTask.NO_REQUEST) {
            c.send(Commands.newAckResponse(requestId, error, message, consumerId));
        }
    }
}
