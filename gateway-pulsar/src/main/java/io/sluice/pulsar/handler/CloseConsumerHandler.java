package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import org.apache.pulsar.common.api.proto.CommandCloseConsumer;
import org.apache.pulsar.common.protocol.Commands;

/** CLOSE_CONSUMER: answered when what it held can go to others. Closing what is not there, or not yet, succeeds. */
final class CloseConsumerHandler {
    private CloseConsumerHandler() {}

    static void handle(Connection c, CommandCloseConsumer command) {
        long requestId = command.getRequestId();
        ClientConsumer consumer = c.attached().removeConsumer(command.getConsumerId());
        if (c.attached().consumersToCome().remove(command.getConsumerId()) != null) {
            c.attached().consumersGivenUp().add(command.getConsumerId());
        }
        c.attached().lateAcks().forget(command.getConsumerId());
        c.attached().nonPersistent().removeConsumer(command.getConsumerId());
        if (consumer == null) {
            c.send(Commands.newSuccess(requestId));
        } else {
            c.attached().detach(consumer, () -> c.send(Commands.newSuccess(requestId)));
        }
    }
}
