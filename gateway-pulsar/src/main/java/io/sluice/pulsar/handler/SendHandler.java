package io.sluice.pulsar.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.pulsar.connection.ClientProducer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.Sends;
import org.apache.pulsar.common.api.proto.CommandSend;

/**
 * SEND: a message, a batch or a chunk, with or without checksum, stored as it came behind an entry header. Receipts keep
 * the order of the sends. A duplicate gets the receipt Pulsar gives it, with message id -1:-1. Sends to a producer that has
 * been closed are dropped without an answer: the client has been told and sends them again. The command says of which
 * transaction it is, not the message's metadata; its coordinator must have been told of the partition before. Markers and {@code message_id} of replicators are not supported.
 */
final class SendHandler {
    private SendHandler() {}

    static void handle(Connection c, CommandSend command, ByteBuf in, int end) {
        ClientProducer producer = c.producers().get(command.getProducerId());
        if (producer != null && producer.isReady()) {
            Sends.accept(c, producer, command, in, end);
        }
    }
}
