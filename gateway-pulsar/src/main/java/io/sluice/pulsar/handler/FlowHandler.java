package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import org.apache.pulsar.common.api.proto.CommandFlow;

/** FLOW: permits count messages; a batch may overdraw them by what it holds, as in Pulsar. */
final class FlowHandler {
    private FlowHandler() {}

    static void handle(Connection c, CommandFlow command) {
        ClientConsumer consumer = c.attached().consumers().get(command.getConsumerId());
        int permits = command.getMessagePermits();
        if (consumer == null && permits > 0) {
            NonPersistentConsumerHandler.flow(c, command.getConsumerId(), permits);
        } else if (consumer != null && permits > 0) {
            ConsumerTask.submit(c, consumer, ConsumerTask.NO_REQUEST, s -> s.flow(consumer.consumer(), permits));
        }
    }
}
