package io.sluice.pulsar.handler;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.dispatch.CompactedReads;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.wire.MessageIds;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import org.apache.pulsar.common.api.proto.CommandSeek;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;

/**
 * SEEK by message id or by publish time. As in Pulsar all consumers of the subscription are closed, so that they come back
 * with empty queues, and the answer follows when the new position is durable. By time the subscription continues at the
 * first entry published at or after it. On purpose unlike Pulsar, acknowledgements in transactions that are still open are forgotten, here and by
 * the admin interface: whoever reads again from a position gets all from there on, whichever transactions happened to be open.
 */
final class SeekHandler {
    private SeekHandler() {}

    static void handle(Connection c, CommandSeek command) {
        long requestId = command.getRequestId();
        ClientConsumer consumer = c.attached().consumers().get(command.getConsumerId());
        if (consumer == null && NonPersistentConsumerHandler.seek(c, command.getConsumerId(), requestId)) {
            return;
        }
        if (consumer == null) {
            c.error(requestId, ServerError.ConsumerNotFound, "there is no such consumer");
            return;
        }
        if (command.hasMessagePublishTime()) {
            long time = command.getMessagePublishTime();
            ConsumerTask.submit(c, consumer, requestId, s -> seekToTime(c, requestId, s, time));
        } else if (command.hasMessageId()) {
            MessageIdData id = new MessageIdData().copyFrom(command.getMessageId());
            ConsumerTask.submit(c, consumer, requestId, s -> seek(c, requestId, s, offsetOf(id, s, consumer)));
        } else {
            c.error(requestId, ServerError.MetadataError, "seek needs a message id or a time");
        }
    }

    private static long offsetOf(MessageIdData id, Subscription s, ClientConsumer consumer) {
        PartitionLog log = s.log();
        long start = CompactedReads.start(log, consumer.consumer().readsCompacted());
        long end = log.readableEnd(Isolation.COMMITTED);
        long offset = Math.clamp(log.offsetOf(id.getLedgerId(), id.getEntryId()), start, end);
        boolean there = log.ledgerAt(id.getEntryId()) == id.getLedgerId();
        return there ? Math.clamp(offset + MessageIds.acknowledgedFirst(id), start, end) : offset;
    }

    private static void seekToTime(Connection c, long requestId, Subscription s, long time) {
        PartitionLog log = s.log();
        log.offsetAtTime(time, new PartitionLog.TimeReply() {
            @Override
            public void found(PartitionLog.OffsetAndTime entryBase) {
                seek(
                        c,
                        requestId,
                        s,
                        entryBase.offset() < 0 ? log.readableEnd(Isolation.COMMITTED) : entryBase.offset());
            }

            @Override
            public void failed(StoreFailure why) {
                c.error(requestId, ErrorMapping.of(why), why.message());
            }
        });
    }

    private static void seek(Connection c, long requestId, Subscription s, long offset) {
        s.seek(
                offset,
                Durable.of(
                        () -> c.send(Commands.newSuccess(requestId)),
                        why -> c.error(requestId, ErrorMapping.of(why), why.message())));
    }
}
