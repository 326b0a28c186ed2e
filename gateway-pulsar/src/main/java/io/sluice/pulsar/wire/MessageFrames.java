package io.sluice.pulsar.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/** Encodes {@code MESSAGE} frames: {@code length u32 | commandSize u32 | command | entry as its producer sent it}. */
public final class MessageFrames {
    /** Below this a copy is cheaper than one more element in a gathering write, and it unpins the cache. */
    private static final int COPY_BELOW = 1024;

    private static final int GATHERED_BYTES = 8 * 1024;
    private static final int HEAD_BYTES = 128;

    private final ByteBufAllocator allocator;
    private final BaseCommand command = new BaseCommand();

    public MessageFrames(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Whether a message of this length is copied behind the frames before it. */
    public static boolean isSmall(int length) {
        return length < COPY_BELOW;
    }

    /** Room for some small messages. */
    public ByteBuf gathering() {
        return allocator.directBuffer(GATHERED_BYTES);
    }

    /**
     * Appends a whole frame to {@code out}.
     *
     * @param entries borrowed; the message is {@code [at, at + length)}
     * @param ackSet of a batch that is acknowledged in part, else null
     */
    public void append(MessageHead head, ByteBuf entries, int at, int length, long @Nullable [] ackSet, ByteBuf out) {
        writeHead(head, length, ackSet, out);
        out.writeBytes(entries, at, length);
    }

    /** As {@link #append}, but the message is a retained slice of {@code entries}. */
    public OutFrame encode(MessageHead head, ByteBuf entries, int at, int length, long @Nullable [] ackSet) {
        ByteBuf out = allocator.directBuffer(HEAD_BYTES);
        writeHead(head, length, ackSet, out);
        return new OutFrame(out, entries.retainedSlice(at, length));
    }

    /** As {@link #append}, as a frame of its own. */
    public OutFrame whole(MessageHead head, ByteBuf entries, int at, int length) {
        ByteBuf out = allocator.directBuffer(HEAD_BYTES + length);
        append(head, entries, at, length, null, out);
        return new OutFrame(out, null);
    }

    private void writeHead(MessageHead head, int length, long @Nullable [] ackSet, ByteBuf out) {
        command.clear().setType(BaseCommand.Type.MESSAGE);
        CommandMessage message = command.setMessage().setConsumerId(head.consumer());
        MessageIdData id = message.setMessageId().setLedgerId(head.ledger()).setEntryId(head.entry());
        if (head.partition() >= 0) {
            id.setPartition(head.partition());
        }
        if (head.redelivered() > 0) {
            message.setRedeliveryCount(head.redelivered());
        }
        if (ackSet != null) {
            for (long word : ackSet) {
                message.addAckSet(word);
            }
        }
        if (head.epoch() > Commands.DEFAULT_CONSUMER_EPOCH) {
            message.setConsumerEpoch(head.epoch());
        }
        int size = command.getSerializedSize();
        out.writeInt(4 + size + length);
        out.writeInt(size);
        command.writeTo(out);
    }

    /**
     * @param partition -1 for a non-partitioned topic
     * @param redelivered how often it was delivered before
     * @param epoch of the consumer, {@link Commands#DEFAULT_CONSUMER_EPOCH} if it has none
     */
    public record MessageHead(long consumer, long ledger, long entry, int partition, int redelivered, long epoch) {}
}
