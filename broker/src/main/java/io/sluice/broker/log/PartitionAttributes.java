package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import java.util.UUID;

/**
 * Attributes kept with a partition's segment for ever: they identify it without the metadata store.
 *
 * @param topic full name at the time of creation
 * @param topicId see {@code Topic.id}
 * @param partition number in the topic
 * @param partitionId of a partition that goes on in this segment; {@link #FIRST_SEGMENT} in its first one, which has the id
 * @param aboveTerm what leader epochs of a partition that begins here are above the container's term
 */
public record PartitionAttributes(String topic, UUID topicId, int partition, long partitionId, int aboveTerm) {
    public static final long FIRST_SEGMENT = -1;
    /** Version of a first segment. */
    private static final byte VERSION = 1;
    /** Ends with the partition's id. */
    private static final byte SUCCESSOR = 2;
    /** Version of a first segment; ends with {@link #aboveTerm}. */
    private static final byte ABOVE_TERM = 3;

    public PartitionAttributes {
        if (aboveTerm != 0 && partitionId != FIRST_SEGMENT) {
            throw new IllegalArgumentException("a partition that goes on brings its epoch along");
        }
    }

    /** With the container's terms for epochs, or those it brings along. */
    public PartitionAttributes(String topic, UUID topicId, int partition, long partitionId) {
        this(topic, topicId, partition, partitionId, 0);
    }

    /** Attributes of a partition's first segment. */
    public PartitionAttributes(String topic, UUID topicId, int partition) {
        this(topic, topicId, partition, FIRST_SEGMENT);
    }

    public boolean isSuccessor() {
        return partitionId != FIRST_SEGMENT;
    }

    public void write(ByteBuf out) {
        out.writeByte(isSuccessor() ? SUCCESSOR : aboveTerm == 0 ? VERSION : ABOVE_TERM);
        out.writeLong(topicId.getMostSignificantBits());
        out.writeLong(topicId.getLeastSignificantBits());
        Packed.writeUnsigned(out, partition);
        Packed.writeString(out, topic);
        if (isSuccessor()) {
            Packed.writeUnsigned(out, partitionId);
        } else if (aboveTerm != 0) {
            Packed.writeUnsigned(out, aboveTerm);
        }
    }

    public static PartitionAttributes read(ByteBuf in) {
        byte version = in.readByte();
        if (version < VERSION || version > ABOVE_TERM) {
            throw new IllegalStateException(
                    "partition attributes have version " + version + ": a newer server wrote them");
        }
        UUID topicId = new UUID(in.readLong(), in.readLong());
        int partition = Packed.readCount(in);
        String topic = Packed.readString(in);
        long partitionId = version == SUCCESSOR ? Packed.readUnsigned(in) : FIRST_SEGMENT;
        return new PartitionAttributes(
                topic, topicId, partition, partitionId, version == ABOVE_TERM ? Packed.readCount(in) : 0);
    }
}
