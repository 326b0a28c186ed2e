package io.sluice.pulsar.handler;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.pulsar.connection.ClientProducer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.PendingSend;
import io.sluice.pulsar.connection.PendingSend.Parcel;
import io.sluice.pulsar.format.Publish;
import io.sluice.pulsar.format.SourcePosition;
import io.sluice.pulsar.rates.TopicBounds;
import io.sluice.transactions.SingleTransaction;
import org.apache.pulsar.common.api.proto.CommandSend;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * SEND: a message, a batch or a chunk, with or without checksum, stored as it came behind an entry header. Receipts keep
 * the order of the sends. A duplicate gets the receipt Pulsar gives it, with message id -1:-1. Sends to a producer that has
 * been closed are dropped without an answer: the client has been told and sends them again. The command says of which
 * transaction it is, not the message's metadata; its coordinator must have been told of the partition before. {@code message_id} of shadow
 * topics is not supported.
 *
 * <p>What a replicator sends is looked at by its {@link SourcePosition}, which the receipt names, as does that of Pulsar's broker. A difference on
 * purpose: without one (from Pulsar before 4.1) it is stored whatever came before. By the sequence ids of its first producer, as in Pulsar, a
 * message would be lost when that producer counted from 0 again. Markers of replicated subscriptions
 * are stored for this cluster's replicators, and no consumer gets them; on purpose, of those that may read the topic only, since they move
 * subscriptions. All other markers of replicators are received and not stored.
 */
final class SendHandler {
    static final String TOO_LARGE = "Exceed maximum message size";

    /** Parser of one event loop; nothing in it outlives a frame. */
    private static final FastThreadLocal<Publish> PUBLISH = new FastThreadLocal<>() {
        @Override
        protected Publish initialValue() {
            return new Publish();
        }
    };

    /** In place of the highest sequence id, in receipts of a replicator's markers. */
    private static final long MARKER_RECEIPT = Long.MIN_VALUE;

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
        int bytes = end - in.readerIndex();
        Publish.Fault fault = read(c, publish, transaction, in, end);
        if (fault != Publish.Fault.NONE) {
            refuse(c, producer, new Parcel(first, last, 0, 0), fault);
            return;
        }
        TopicBounds bounds = producer.bounds();
        if (bounds != TopicBounds.NONE && !producer.isReplicator()) {
            String why = whyNot(bounds, publish, bytes);
            if (why != null) {
                refuse(c, producer, new Parcel(first, last, 0, 0), ServerError.NotAllowedError, why);
                return;
            }
        }
        if (publish.delay() > 0 && c.services().delays().isTooLong(producer.topic(), publish.delay())) {
            refuseDelay(c, producer, new Parcel(first, last, 0, 0));
            return;
        }
        if (producer.isReplicator() && transaction == null) {
            replicate(c, producer, publish, new Parcel(first, last, 0, 0), in);
            return;
        }
        long producerId = publish.isInnerChunk() ? EntryHeader.NO_PRODUCER : producer.dedupId();
        long transactionId = transaction == null ? EntryHeader.NO_PRODUCER : transaction.producerId();
        ByteBuf entry = publish.entry(c.channel().alloc(), in, producerId, first, last, transactionId);
        Parcel parcel = new Parcel(first, last, publish.count(), entry.readableBytes());
        c.publishing().append(producer, new PendingSend(producer, parcel, entry, transaction));
    }

    /** Null if the topic's policies let it in. As in Pulsar chunks may have any size: each is as large as its client makes it. */
    private static @Nullable String whyNot(TopicBounds bounds, Publish publish, int bytes) {
        if (isTooLarge(bounds, publish, bytes)) {
            return TOO_LARGE;
        }
        return bounds.encrypted() && !publish.isEncrypted() ? "Messages must be encrypted" : null;
    }

    static boolean isTooLarge(TopicBounds bounds, Publish publish, int bytes) {
        return !publish.isChunk() && bounds.isTooLarge(bytes);
    }

    /** Stores what a replicator sent; each chunk has a place of its own. */
    private static void replicate(Connection c, ClientProducer producer, Publish publish, Parcel sent, ByteBuf in) {
        if (publish.isMarker()) {
            replicateMarker(c, producer, publish, sent, in);
            return;
        }
        SourcePosition source = publish.sourcePosition();
        ByteBufAllocator allocator = c.channel().alloc();
        ByteBuf entry;
        Parcel parcel;
        if (source == null) {
            entry = publish.entry(
                    allocator, in, EntryHeader.NO_PRODUCER, sent.first(), sent.last(), EntryHeader.NO_PRODUCER);
            parcel = new Parcel(sent.first(), sent.last(), publish.count(), entry.readableBytes());
        } else {
            long at = source.entry();
            entry = publish.entry(
                    allocator, in, source.producerId(producer.dedupId()), at, at, EntryHeader.NO_PRODUCER);
            parcel = new Parcel(sent.first(), sent.last(), source.ledger(), at, publish.count(), entry.readableBytes());
        }
        c.publishing().append(producer, new PendingSend(producer, parcel, entry, null));
    }

    private static void replicateMarker(
            Connection c, ClientProducer producer, Publish publish, Parcel sent, ByteBuf in) {
        if (publish.isSubscriptionMarker() && c.services().topics().mayRead(c.principal(), producer.topic())) {
            ByteBuf entry = publish.marker(c.channel().alloc(), in, System.currentTimeMillis());
            Parcel parcel =
                    new Parcel(sent.first(), sent.last(), sent.first(), MARKER_RECEIPT, 0, entry.readableBytes());
            c.publishing().append(producer, new PendingSend(producer, parcel, entry, null));
            return;
        }
        Parcel parcel = new Parcel(sent.first(), sent.last(), sent.first(), MARKER_RECEIPT, 0, 0);
        PendingSend received = new PendingSend(producer, parcel, null, null);
        received.passOver();
        c.publishing().answer(producer, received);
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
        long most = c.services().delays().of(producer.topic()).getMaxDeliveryDelayInMillis();
        String why = "Exceeds max allowed delivery delay of " + most + " milliseconds";
        refuse(c, producer, parcel, ServerError.NotAllowedError, why);
    }

    private static void refuse(Connection c, ClientProducer producer, Parcel parcel, Publish.Fault fault) {
        switch (fault) {
            case CHECKSUM ->
                refuse(
                        c,
                        producer,
                        parcel,
                        ServerError.ChecksumError,
                        "the message's checksum does not match its bytes");
            case MALFORMED, NONE ->
                refuse(
                        c,
                        producer,
                        parcel,
                        ServerError.NotAllowedError,
                        "the message's metadata, transaction or size is not valid");
        }
    }

    /** Answered in its turn, after the sends before it. */
    private static void refuse(Connection c, ClientProducer producer, Parcel parcel, ServerError error, String why) {
        PendingSend refused = new PendingSend(producer, parcel, null, null);
        refused.refuse(error, why);
        c.publishing().answer(producer, refused);
    }
}
