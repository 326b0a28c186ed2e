package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.ClientProducer;
import io.sluice.pulsar.connection.Connection;
import org.apache.pulsar.common.api.proto.CommandCloseProducer;
import org.apache.pulsar.common.protocol.Commands;

/** CLOSE_PRODUCER: answered when the producer has left its partition. Closing what is not there, or not yet, succeeds. */
final class CloseProducerHandler {
    private CloseProducerHandler() {}

    static void handle(Connection c, CommandCloseProducer command) {
        long requestId = command.getRequestId();
        ClientProducer producer = c.attached().producers().remove(command.getProducerId());
        c.attached().finalRefusals().take(command.getProducerId());
        c.attached().producersToCome().remove(command.getProducerId());
        c.attached().leavingProducers().forget(command.getProducerId());
        c.attached().nonPersistent().removeProducer(command.getProducerId());
        if (producer == null) {
            c.send(Commands.newSuccess(requestId));
        } else {
            c.publishing().detach(producer, () -> c.send(Commands.newSuccess(requestId)));
        }
    }
}
