package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import java.util.UUID;

/**
 * What is kept with a partition's segment for ever, so that somebody who has only the store can tell what it is.
 *
 * @param topic full name at the time of creation
 * @param topicId see {@code Topic.id}
 * @param partition number in the topic
 */
public record PartitionAttributes(String topic, UUID topicId, int partition) {
    private static final byte VERSION = 1;

    public void write(ByteBuf out) {
        out.writeByte(VERSION);
        out.writeLong(topicId.getMostSignificantBits());
        out.writeLong(topicId.getLeastSignificantBits());
        Packed.writeUnsigned(out, partition);
        Packed.writeString(out, topic);
    }

    public static PartitionAttributes read(ByteBuf in) {
        byte version = in.readByte();
        if (version != VERSION) {
            throw new IllegalStateException(
                    "partition attributes have version " + version + ": a newer server wrote them");
        }
        UUID topicId = new UUID(in.readLong(), in.readLong());
        int partition = Packed.readCount(in);
        return new PartitionAttributes(Packed.readString(in), topicId, partition);
    }
}
