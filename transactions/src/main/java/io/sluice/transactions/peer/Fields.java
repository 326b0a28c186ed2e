package io.sluice.transactions.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.peer.PeerException;
import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** Common fields of the bodies. */
final class Fields {
    private Fields() {}

    static byte[] bytes(Consumer<ByteBuf> writing) {
        ByteBuf out = Unpooled.buffer();
        writing.accept(out);
        return ByteBufUtil.getBytes(out);
    }

    /** @throws IllegalArgumentException it is no such body */
    static <T> T read(byte[] body, Function<ByteBuf, T> reading) {
        ByteBuf in = Unpooled.wrappedBuffer(body);
        T read;
        try {
            read = reading.apply(in);
        } catch (IndexOutOfBoundsException | IllegalStateException e) {
            throw new IllegalArgumentException(
                    "a body of " + body.length + " bytes cannot be read: " + e.getMessage(), e);
        }
        if (in.isReadable()) {
            throw new IllegalArgumentException("a body of " + body.length + " bytes is longer than what it holds");
        }
        return read;
    }

    static CompletableFuture<byte[]> refused(IllegalArgumentException why) {
        return CompletableFuture.failedFuture(
                new PeerException(PeerException.Reason.REFUSED, String.valueOf(why.getMessage())));
    }

    /** Number of items, each of one byte at least. */
    static int readCount(ByteBuf in) {
        int count = Packed.readCount(in);
        if (count > in.readableBytes()) {
            throw new IllegalStateException(count + " items in " + in.readableBytes() + " bytes");
        }
        return count;
    }

    /** Bytes that a text takes at most, its length included. */
    static int most(String text) {
        return 5 + 3 * text.length();
    }

    /** As {@link #most(String)}, of a participant. */
    static int most(Participant partition) {
        String subscription = partition.subscription();
        return 6 + most(partition.topic()) + (subscription == null ? 0 : most(subscription));
    }

    static void write(ByteBuf out, Participant partition) {
        String subscription = partition.subscription();
        Packed.writeString(out, partition.topic());
        Packed.writeUnsigned(out, partition.partition());
        out.writeBoolean(subscription != null);
        if (subscription != null) {
            Packed.writeString(out, subscription);
        }
    }

    static Participant readParticipant(ByteBuf in) {
        String topic = Packed.readString(in);
        int partition = Packed.readCount(in);
        return new Participant(topic, partition, in.readBoolean() ? Packed.readString(in) : null);
    }

    static void write(ByteBuf out, ProducerIdentity producer) {
        Packed.writeSigned(out, producer.id());
        out.writeShort(producer.epoch());
    }

    static ProducerIdentity readProducer(ByteBuf in) {
        return new ProducerIdentity(Packed.readSigned(in), in.readShort());
    }
}
