package io.sluice.pulsar.connection;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.SingleTransaction;
import io.sluice.transactions.TransactionError;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/** One SEND on its way through the log: made on the event loop, run on the container's, answered on the event loop. */
public final class PendingSend implements SendVerification.Held, AppendReply, Outbox.Item {
    /** {@code ledgerId} and {@code entryId} of a receipt for what was there already, as Pulsar's broker sends it. */
    private static final long DUPLICATE = -1;

    /**
     * @param first sequence id of the first message
     * @param last sequence id of the last message, named in a refusal
     * @param receiptFirst named in the receipt
     * @param receiptLast named in the receipt
     * @param messages that count in stats and rates
     * @param bytes of the entry
     */
    public record Parcel(long first, long last, long receiptFirst, long receiptLast, int messages, int bytes) {
        /** With a receipt that names the sequence ids. */
        public Parcel(long first, long last, int messages, int bytes) {
            this(first, last, first, last, messages, bytes);
        }
    }

    private final ClientProducer producer;
    private final PartitionLog log;
    private final Parcel parcel;
    private @Nullable ByteBuf entry;
    private final @Nullable SingleTransaction transaction;
    private final long startNanos = System.nanoTime();

    private boolean answered;
    private boolean dropped;
    private long ledger;
    private long offset;
    private @Nullable ServerError error;
    private String message = "";

    /**
     * @param entry owned from here on; null for a send that is refused already
     * @param transaction that it is sent in
     */
    public PendingSend(
            ClientProducer producer, Parcel parcel, @Nullable ByteBuf entry, @Nullable SingleTransaction transaction) {
        this.producer = producer;
        this.log = producer.log();
        this.parcel = parcel;
        this.entry = entry;
        this.transaction = transaction;
    }

    /** Queues the append for its container's loop. */
    void submit() {
        log.container().executeAppend(this);
    }

    Parcel parcel() {
        return parcel;
    }

    boolean answered() {
        return answered;
    }

    /** True if the client gets no answer: it was told to create its producer again. */
    boolean dropped() {
        return dropped;
    }

    /**
     * The receipt or error; borrowed, to be encoded at once. Pulsar's client knows a batch that was refused by its last message, and
     * waits for ever if it is told another.
     */
    BaseCommand answer(long producerId) {
        return error == null
                ? Commands.newSendReceiptCommand(
                        producerId, parcel.receiptFirst(), parcel.receiptLast(), ledger, offset)
                : Commands.newSendErrorCommand(producerId, parcel.last(), error, message);
    }

    /** Event loop only, when all sends before it are answered. */
    void sendAnswer() {
        ServerError why = error;
        if (why == null || !producer.answers().closesInstead(producer.session(), why, message)) {
            producer.out().gather(answer(producer.session().id()));
        }
    }

    @Override
    public void run() {
        SendVerification underWay = producer.verification();
        if (underWay == null || !underWay.holdsBack(this)) {
            goOn();
        }
    }

    /** In its turn among the producer's sends. The first one of a transaction waits for its coordinator; the first one here begins it. */
    @Override
    public void goOn() {
        SingleTransaction in = transaction;
        if (in == null
                || !producer.session().attached()
                || log.transactions().isOpen(in.producerId(), ProducerIds.SINGLE_EPOCH) && producer.maySendIn(in)) {
            append();
        } else {
            producer.verify(this, in);
        }
    }

    /** The coordinator does not know that the transaction goes on and is here, too. */
    @Override
    public void unverified(TransactionError why) {
        release();
        if (!producer.session().attached()) {
            drop();
            return;
        }
        refuse(
                ErrorMapping.toSender(why),
                "the transaction is not open, or was not told of this topic: " + transaction + ": " + why);
        producer.out().post(this);
    }

    /** Unless the producer is gone: it may have been fenced while the coordinator was asked. */
    @Override
    public void append() {
        ByteBuf bytes = take();
        if (bytes == null) {
            return;
        }
        if (!producer.session().attached()) {
            bytes.release();
            drop();
            return;
        }
        producer.count(parcel.messages(), parcel.bytes());
        try {
            log.append(bytes, this);
        } catch (Throwable e) {
            // it would never be answered
            drop();
            throw e;
        }
    }

    /** Pulsar's client closes its connection when a send is refused; while they wait, nothing is read from it. */
    @Override
    public boolean patient() {
        return true;
    }

    private @Nullable ByteBuf take() {
        ByteBuf bytes = entry;
        entry = null;
        return bytes;
    }

    @Override
    public void abandoned(StoreFailure why) {
        release();
        failed(why);
    }

    private void release() {
        ByteBuf bytes = take();
        if (bytes != null) {
            bytes.release();
        }
    }

    private void drop() {
        dropped = true;
        producer.out().post(this);
    }

    @Override
    public void appended(long baseOffset, long lastOffset) {
        producer.published(parcel.messages(), parcel.bytes());
        ledger = log.ledgerAt(baseOffset);
        offset = baseOffset;
        producer.out().post(this);
    }

    @Override
    public void duplicate(long baseOffset, long lastOffset) {
        ledger = DUPLICATE;
        offset = DUPLICATE;
        producer.out().post(this);
    }

    @Override
    public void rejected(AppendRejection why) {
        refuse(ErrorMapping.of(why), why.message());
        producer.out().post(this);
    }

    @Override
    public void failed(StoreFailure why) {
        switch (why) {
            // the producer is told to look up the owner, which makes the client send again
            case StoreFailure.NotOwner n -> drop();
            case StoreFailure.NoSuchSegment n -> drop();
            default -> {
                refuse(ErrorMapping.of(why), why.message());
                producer.out().post(this);
            }
        }
    }

    /** Before it was ever queued, or on the loop. */
    public void refuse(ServerError why, String text) {
        error = why;
        message = text;
    }

    /** Before it was ever queued: there is nothing to store. */
    public void passOver() {
        ledger = DUPLICATE;
        offset = DUPLICATE;
    }

    @Override
    public void emit() {
        answered = true;
        if (!dropped && error == null) {
            producer.receipted(System.nanoTime() - startNanos);
        }
        producer.answerInOrder();
    }
}
