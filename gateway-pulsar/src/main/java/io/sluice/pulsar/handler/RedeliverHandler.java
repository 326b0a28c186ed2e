package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.common.api.proto.CommandRedeliverUnacknowledgedMessages;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.protocol.Commands;

/**
 * REDELIVER_UNACKNOWLEDGED_MESSAGES: negative acknowledgements, timeouts, or everything the consumer holds. Exclusive and
 * Failover start over at the first unacknowledged message whatever is named, to keep the order.
 */
final class RedeliverHandler {
    private RedeliverHandler() {}

    static void handle(Connection c, CommandRedeliverUnacknowledgedMessages command) {
        ClientConsumer consumer = c.consumers().get(command.getConsumerId());
        if (consumer == null) {
            return;
        }
        long partitionId = consumer.log().partitionId();
        List<Long> offsets = new ArrayList<>(command.getMessageIdsCount());
        for (int i = 0; i < command.getMessageIdsCount(); i++) {
            MessageIdData id = command.getMessageIdAt(i);
            if (id.getLedgerId() == partitionId) {
                offsets.add(id.getEntryId());
            }
        }
        if (offsets.isEmpty() && command.getMessageIdsCount() > 0) {
            return;
        }
        long epoch = command.hasConsumerEpoch() ? command.getConsumerEpoch() : Commands.DEFAULT_CONSUMER_EPOCH;
        ConsumerTask.submit(
                c, consumer, ConsumerTask.NO_REQUEST, s -> s.redeliver(consumer.consumer(), offsets, epoch));
    }
}
