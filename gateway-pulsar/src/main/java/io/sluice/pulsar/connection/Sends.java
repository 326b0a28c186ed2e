package io.sluice.pulsar.connection;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.pulsar.format.Publish;
import org.apache.pulsar.common.api.proto.CommandSend;
import org.apache.pulsar.common.api.proto.ServerError;

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
        ByteBuf entry = publish.entry(connection.channel().alloc(), in, producerId, first, last);
        PendingSend.Parcel parcel = new PendingSend.Parcel(first, last, publish.count(), entry.readableBytes());
        connection.append(producer, new PendingSend(producer, producer.log(), parcel, entry));
    }

    /** Answered in its turn, after the sends before it. */
    private static void refuse(
            Connection connection, ClientProducer producer, PendingSend.Parcel parcel, Publish.Fault fault) {
        PendingSend refused = new PendingSend(producer, producer.log(), parcel, null);
        switch (fault) {
            case CHECKSUM ->
                refused.refuse(ServerError.ChecksumError, "the message's checksum does not match its bytes");
            case TRANSACTIONAL -> refused.refuse(ServerError.NotAllowedError, "transactions are not supported");
            case MALFORMED, NONE ->
                refused.refuse(ServerError.NotAllowedError, "the message's metadata or size is not valid");
        }
        connection.answer(producer, refused);
    }
}
