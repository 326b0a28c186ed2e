package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.dispatch.ConsumerView;
import io.sluice.pulsar.dispatch.Subscription;
import java.time.Instant;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandConsumerStats;
import org.apache.pulsar.common.api.proto.CommandConsumerStatsResponse;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;

/** CONSUMER_STATS: permits, unacknowledged messages, backlog and rates. */
final class ConsumerStatsHandler {
    private ConsumerStatsHandler() {}

    static void handle(Connection c, CommandConsumerStats command) {
        long requestId = command.getRequestId();
        ClientConsumer consumer = c.attached().consumers().get(command.getConsumerId());
        if (consumer == null && NonPersistentConsumerHandler.stats(c, command.getConsumerId(), requestId)) {
            return;
        }
        if (consumer == null) {
            c.send(Commands.newConsumerStatsResponse(ServerError.ConsumerNotFound, "Consumer not found", requestId));
            return;
        }
        ConsumerTask.submit(c, consumer, requestId, s -> answer(c, requestId, consumer, s));
    }

    private static void answer(Connection c, long requestId, ClientConsumer consumer, Subscription s) {
        answer(c, requestId, s.viewOf(consumer.consumer()), s.type(), s.view().backlog());
    }

    static void answer(Connection c, long requestId, ConsumerView view, String type, long backlog) {
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.CONSUMER_STATS_RESPONSE);
        CommandConsumerStatsResponse stats = command.setConsumerStatsResponse().setRequestId(requestId);
        stats.setMsgRateOut(view.out().messageRate())
                .setMsgThroughputOut(view.out().byteRate())
                .setMsgRateRedeliver(view.redelivered().messageRate())
                .setConsumerName(view.identity().name())
                .setAvailablePermits(Math.max(0, view.permits()))
                .setUnackedMessages(view.unacked())
                .setBlockedConsumerOnUnackedMsgs(view.blocked())
                .setAddress(view.address())
                .setConnectedSince(Instant.ofEpochMilli(view.connectedAt()).toString())
                .setType(type)
                .setMsgBacklog(backlog);
        c.send(Commands.serializeWithSize(command));
    }
}
