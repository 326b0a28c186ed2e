package io.sluice.pulsar.handler;

import io.sluice.broker.log.PartitionLog;
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
        ClientConsumer consumer = c.attached().consumers().get(command.getConsumerId());
        if (consumer == null) {
            return;
        }
        List<EntryId> named = new ArrayList<>(command.getMessageIdsCount());
        for (int i = 0; i < command.getMessageIdsCount(); i++) {
            MessageIdData id = command.getMessageIdAt(i);
            named.add(new EntryId(id.getLedgerId(), id.getEntryId()));
        }
        long epoch = command.hasConsumerEpoch() ? command.getConsumerEpoch() : Commands.DEFAULT_CONSUMER_EPOCH;
        ConsumerTask.submit(c, consumer, ConsumerTask.NO_REQUEST, s -> {
            List<Long> offsets = offsets(named, consumer.log());
            if (named.isEmpty() || !offsets.isEmpty()) {
                s.redeliver(consumer.consumer(), offsets, epoch);
            }
        });
    }

    private record EntryId(long ledger, long entry) {}

    private static List<Long> offsets(List<EntryId> named, PartitionLog log) {
        return named.stream()
                .filter(id -> log.ledgerAt(id.entry()) == id.ledger())
                .map(EntryId::entry)
                .toList();
    }
}
