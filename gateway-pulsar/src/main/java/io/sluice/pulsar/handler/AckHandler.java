package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.dispatch.AckReceipt;
import io.sluice.pulsar.dispatch.AckedEntry;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.wire.AckSets;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * ACK: individual and cumulative, whole entries and single messages of a batch. With a request id it is answered when it is
 * durable. Ids of another ledger than the entry has, or past the end, are passed over. A message the client could not make sense of
 * ({@code validation_error}) counts as acknowledged, as in Pulsar. Transactional acknowledgements are refused.
 */
final class AckHandler {
    private AckHandler() {}

    static void handle(Connection c, CommandAck command) {
        long consumerId = command.getConsumerId();
        ClientConsumer consumer = c.consumers().get(consumerId);
        long requestId = command.hasRequestId() ? command.getRequestId() : ConsumerTask.NO_REQUEST;
        if (command.hasTxnidLeastBits() || command.hasTxnidMostBits()) {
            answer(c, requestId, consumerId, ServerError.NotAllowedError, "transactions are not supported");
            return;
        }
        if (consumer == null) {
            answer(c, requestId, consumerId, ServerError.ConsumerNotFound, "there is no such consumer");
            return;
        }
        List<AckedEntry> entries = entries(command);
        boolean cumulative = command.getAckType() == CommandAck.AckType.Cumulative;
        ConsumerTask.submit(
                c,
                consumer,
                requestId,
                s -> s.ack(consumer.consumer(), entries, cumulative, new AckReceipt(why -> {
                    if (why == null) {
                        answer(c, requestId, consumerId, null, null);
                    } else {
                        answer(c, requestId, consumerId, ErrorMapping.of(why), why.message());
                    }
                })));
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
