package io.sluice.pulsar.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.NonPersistentClients.Producer;
import io.sluice.pulsar.dispatch.NonPersistentMessage;
import io.sluice.pulsar.format.Publish;
import org.apache.pulsar.common.api.proto.CommandSend;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * SEND to a non-persistent topic: handed to those who can take it now, and answered at once with the message id 0:0, as by Pulsar's broker,
 * whoever got it. A time of delivery is not looked at, and nothing is sent in a transaction.
 */
final class NonPersistentSend {
    private NonPersistentSend() {}

    /** Sends to a producer that has been closed are dropped without an answer. */
    static void handle(Connection c, CommandSend send, Publish publish, ByteBuf in, int end) {
        Producer producer = c.attached().nonPersistent().producer(send.getProducerId());
        if (producer == null || producer.told() == null) {
            return;
        }
        long first = send.getSequenceId();
        long last = send.hasHighestSequenceId() ? Math.max(first, send.getHighestSequenceId()) : first;
        int at = in.readerIndex();
        int length = end - at;
        String why = whyNot(c, send, publish.read(in, end), length);
        if (why == null && SendHandler.isTooLarge(producer.topic().bounds(), publish, length)) {
            why = SendHandler.TOO_LARGE;
        }
        if (why != null) {
            c.attached().nonPersistent().refuse(producer, last, ServerError.NotAllowedError, why);
            return;
        }
        try (NonPersistentMessage message = new NonPersistentMessage(in, at, length, publish)) {
            c.publishing().count(length);
            c.attached().nonPersistent().publish(producer, message, first, last);
            c.publishing().pauseWhile(producer.topic());
        }
    }

    private static @Nullable String whyNot(Connection c, CommandSend send, Publish.Fault fault, int length) {
        if (fault == Publish.Fault.CHECKSUM) {
            return "the message's checksum does not match its bytes";
        }
        if (fault != Publish.Fault.NONE
                || length > c.services().config().limits().maxMessageBytes()) {
            return "the message's metadata or size is not valid";
        }
        return send.hasTxnidMostBits() ? "a non-persistent topic is part of no transaction" : null;
    }
}
