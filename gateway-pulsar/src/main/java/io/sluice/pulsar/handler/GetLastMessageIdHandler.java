package io.sluice.pulsar.handler;

import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.dispatch.EntryLocation;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.store.segment.StoreFailure;
import org.apache.pulsar.common.api.proto.CommandGetLastMessageId;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;

/**
 * GET_LAST_MESSAGE_ID: the last message that a consumer may see, with its place in its batch, and the subscription's mark-delete position.
 * Clients compare the two by entry, so the mark-delete position names the last entry when all of it is acknowledged, and
 * one before it when not. An empty log answers -1:-1. Who reads what is compacted is told the last message that is left, if none came since.
 */
final class GetLastMessageIdHandler {
    private GetLastMessageIdHandler() {}

    static void handle(Connection c, CommandGetLastMessageId command) {
        long requestId = command.getRequestId();
        ClientConsumer consumer = c.attached().consumers().get(command.getConsumerId());
        if (consumer == null && NonPersistentConsumerHandler.lastMessageId(c, command.getConsumerId(), requestId)) {
            return;
        }
        if (consumer == null) {
            c.error(requestId, ServerError.MetadataError, "Consumer not found");
            return;
        }
        ConsumerTask.submit(
                c,
                consumer,
                requestId,
                s -> answer(c, requestId, s, consumer.consumer().readsCompacted()));
    }

    private static void answer(Connection c, long requestId, Subscription s, boolean compacted) {
        PartitionLog log = s.log();
        int partition = s.partition();
        s.lastMessage(compacted, new EntryLocation() {
            @Override
            public void entry(long base, int count) {
                long mark = markDelete(s.ackedBelow(), base, count);
                c.send(Commands.newGetLastMessageIdResponse(
                        requestId,
                        log.ledgerAt(base),
                        base,
                        partition,
                        count > 1 ? count - 1 : -1,
                        log.ledgerAt(mark),
                        mark));
            }

            @Override
            public void gone() {
                c.send(Commands.newGetLastMessageIdResponse(requestId, -1, -1, partition, -1, log.ledgerAt(-1), -1));
            }

            @Override
            public void failed(StoreFailure why) {
                c.error(requestId, ErrorMapping.of(why), why.message());
            }
        });
    }

    private static long markDelete(long ackedBelow, long base, int count) {
        if (ackedBelow >= base + count) {
            return base;
        }
        return Math.min(ackedBelow, base) - 1;
    }
}
