package io.sluice.pulsar.handler;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.pulsar.connection.ClientProducer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.PendingSend;
import io.sluice.pulsar.connection.PendingSend.Parcel;
import io.sluice.pulsar.format.Publish;
import io.sluice.transactions.SingleTransaction;
import org.apache.pulsar.common.api.proto.CommandSend;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * SEND: a message, a batch or a chunk, with or without checksum, stored as it came behind an entry header. Receipts keep
 * the order of the sends. A duplicate gets the receipt Pulsar gives it, with message id -1:-1. Sends to a producer that has
 * been closed are dropped without an answer: the client has been told and sends them again. The command says of which
 * transaction it is, not the message's metadata; its coordinator must have been told of the partition before. Markers and
 * {@code message_id} of replicators are not supported.
 */
final class SendHandler {
    /** Parser of one event loop; nothing in it outlives a frame. */
    private static final FastThreadLocal<Publish> PUBLISH = new FastThreadLocal<>() {
        @Override
        protected Publish initialValue() {
            return new Publish();
        }
    };

    private SendHandler() {}

    static void handle(Connection c, CommandSend send, ByteBuf in, int end) {
        ClientProducer producer = c.attached().producers().get(send.getProducerId());
        if (producer == null) {
            NonPersistentSend.handle(c, send, PUBLISH.get(), in, end);
            return;
        }
        if (!producer.isReady()) {
            return;
        }
        long first = send.getSequenceId();
        long last = send.hasHighestSequenceId() ? Math.max(first, send.getHighestSequenceId()) : first;
        Publish publish = PUBLISH.get();
        SingleTransaction transaction = transactionOf(send);
        Publish.Fault fault = read(c, publish, transaction, in, end);
        if (fault != Publish.Fault.NONE) {
            refuse(c, producer, new Parcel(first, last, 0, 0), fault);
            return;
        }
        if (publish.delay() > 0 && c.services().delays().isTooLong(producer.topic(), publish.delay())) {
            refuseDelay(c, producer, new Parcel(first, last, 0, 0));
            return;
        }
        long producerId = publish.isInnerChunk() ? EntryHeader.NO_PRODUCER : producer.dedupId();
        long transactionId = transaction == null ? EntryHeader.NO_PRODUCER : transaction.producerId();
        ByteBuf entry = publish.entry(c.channel().alloc(), in, producerId, first, last, transactionId);
        Parcel parcel = new Parcel(first, last, publish.count(), entry.readableBytes());
        c.publishing().append(producer, new PendingSend(producer, parcel, entry, transaction));
    }

    /** Reads the message, and says why it is not taken. */
    private static Publish.Fault read(
            Connection c, Publish publish, @Nullable SingleTransaction transaction, ByteBuf in, int end) {
        Publish.Fault fault = publish.read(in, end);
        if (fault != Publish.Fault.NONE) {
            return fault;
        }
        boolean tooLarge =
                end - in.readerIndex() > c.services().config().limits().maxMessageBytes();
        return tooLarge || transaction != null && !transaction.isValid() ? Publish.Fault.MALFORMED : Publish.Fault.NONE;
    }

    /** The command decides, whatever the message's metadata names: Java's client sets both, Go's the command only. */
    private static @Nullable SingleTransaction transactionOf(CommandSend send) {
        return send.hasTxnidMostBits() && send.hasTxnidLeastBits()
                ? new SingleTransaction(send.getTxnidMostBits(), send.getTxnidLeastBits())
                : null;
    }

    /** In Pulsar's words. */
    private static void refuseDelay(Connection c, ClientProducer producer, Parcel parcel) {
        PendingSend refused = new PendingSend(producer, parcel, null, null);
        long most = c.services().delays().of(producer.topic()).getMaxDeliveryDelayInMillis();
        refused.refuse(ServerError.NotAllowedError, "Exceeds max allowed delivery delay of " + most + " milliseconds");
        c.publishing().answer(producer, refused);
    }

    /** Answered in its turn, after the sends before it. */
    private static void refuse(Connection c, ClientProducer producer, Parcel parcel, Publish.Fault fault) {
        PendingSend refused = new PendingSend(producer, parcel, null, null);
        switch (fault) {
            case CHECKSUM ->
                refused.refuse(ServerError.ChecksumError, "the message's checksum does not match its bytes");
            case MALFORMED, NONE ->
                refused.refuse(ServerError.NotAllowedError, "the message's metadata, transaction or size is not valid");
        }
        c.publishing().answer(producer, refused);
    }
}
