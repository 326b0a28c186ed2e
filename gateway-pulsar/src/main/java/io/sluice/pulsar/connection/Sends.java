package io.sluice.pulsar.connection;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.pulsar.format.Publish;
import io.sluice.transactions.SingleTransaction;
import org.apache.pulsar.common.api.proto.CommandSend;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/** From a SEND frame to a {@link PendingSend}. Event loop only. */
public final class Sends {
    private Sends() {}

    public static void accept(Connection connection, ClientProducer producer, CommandSend send, ByteBuf in, int end) {
        Publish publish = Scratch.get().publish;
        long first = send.getSequenceId();
        long last = send.hasHighestSequenceId() ? Math.max(first, send.getHighestSequenceId()) : first;
        Publish.Fault fault = publish.read(in, end);
        if (fault == Publish.Fault.NONE
                && end - in.readerIndex()
                        > connection.services().config().limits().maxMessageBytes()) {
            fault = Publish.Fault.MALFORMED;
        }
        if (fault != Publish.Fault.NONE) {
            refuse(connection, producer, new PendingSend.Parcel(first, last, 0, 0), fault);
            return;
        }
        long producerId = publish.isInnerChunk() ? EntryHeader.NO_PRODUCER : producer.dedupId();
        SingleTransaction transaction = transactionOf(send);
        if (transaction != null && !transaction.isValid()) {
            refuse(connection, producer, new PendingSend.Parcel(first, last, 0, 0), Publish.Fault.MALFORMED);
            return;
        }
        long transactionId = transaction == null ? EntryHeader.NO_PRODUCER : transaction.producerId();
        ByteBuf entry = publish.entry(connection.channel().alloc(), in, producerId, first, last, transactionId);
        PendingSend.Parcel parcel = new PendingSend.Parcel(first, last, publish.count(), entry.readableBytes());
        connection.append(producer, new PendingSend(producer, producer.log(), parcel, entry, transaction));
    }

    /** The command decides, whatever the message's metadata names: Java's client sets both, Go's the command only. */
    private static @Nullable SingleTransaction transactionOf(CommandSend send) {
        return send.hasTxnidMostBits() && send.hasTxnidLeastBits()
                ? new SingleTransaction(send.getTxnidMostBits(), send.getTxnidLeastBits())
                : null;
    }

    /** Answered in its turn, after the sends before it. */
    private static void refuse(
            Connection connection, ClientProducer producer, PendingSend.Parcel parcel, Publish.Fault fault) {
        PendingSend refused = new PendingSend(producer, producer.log(), parcel, null, null);
        switch (fault) {
            case CHECKSUM ->
                refused.refuse(ServerError.ChecksumError, "the message's checksum does not match its bytes");
            case MALFORMED, NONE ->
                refused.refuse(ServerError.NotAllowedError, "the message's metadata, transaction or size is not valid");
        }
        connection.answer(producer, refused);
    }
}
