package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.services.NewSubscriptions;
import io.sluice.store.segment.Durable;
import java.util.Objects;
import org.apache.pulsar.common.api.proto.CommandUnsubscribe;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;

/** UNSUBSCRIBE: only the last consumer may delete its subscription, unless it forces the others out. */
final class UnsubscribeHandler {
    private UnsubscribeHandler() {}

    static void handle(Connection c, CommandUnsubscribe command) {
        long requestId = command.getRequestId();
        ClientConsumer consumer = c.attached().consumers().get(command.getConsumerId());
        boolean force = command.hasForce() && command.isForce();
        if (consumer == null
                && NonPersistentConsumerHandler.unsubscribe(c, command.getConsumerId(), requestId, force)) {
            return;
        }
        if (consumer == null) {
            c.error(requestId, ServerError.MetadataError, "Consumer not found");
            return;
        }
        ConsumerTask.submit(c, consumer, requestId, s -> unsubscribe(c, requestId, consumer, s, force));
    }

    private static void unsubscribe(
            Connection c, long requestId, ClientConsumer consumer, Subscription s, boolean force) {
        if (!force && s.view().consumers().size() > 1) {
            c.error(requestId, ServerError.MetadataError, "Unconnected or shared consumer attempting to unsubscribe");
            return;
        }
        PartitionHub hub = Objects.requireNonNull(c.services().hubs().find(s.log()), "the consumer is subscribed");
        s.remove(consumer.consumer());
        c.execute(() -> c.attached().removeConsumer(consumer.consumer().id()));
        Durable done = Durable.of(
                () -> NewSubscriptions.deleted(c.services(), consumer.topicSeen(), consumer.subscriptionName())
                        .whenComplete((_, _) -> c.send(Commands.newSuccess(requestId))),
                why -> {
                    c.error(requestId, ErrorMapping.of(why), why.message());
                    // it left the subscription that is still there: come back
                    c.send(Commands.newCloseConsumer(consumer.consumer().id(), -1, null, null));
                });
        hub.subscriptions().unsubscribe(consumer.subscriptionName(), done);
    }
}
