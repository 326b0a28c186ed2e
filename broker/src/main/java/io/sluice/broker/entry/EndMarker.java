package io.sluice.broker.entry;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.zip.CRC32C;

/**
 * The entry that ends a transaction in a partition: a Kafka control batch of one record, as Kafka's consumers read it. The server alone
 * writes it, for transactions of either protocol.
 *
 * <pre>
 *  0 entry header   61 length, attributes, deltas, key length   66 key version i16   71 value version i16        77 headers
 *                                                               68 type i16          73 coordinator epoch i32
 *                                                               70 value length
 * </pre>
 */
public final class EndMarker {
    /** Bytes of the whole entry. */
    public static final int SIZE = 78;

    private static final int TYPE_AT = 68;
    private static final int COORDINATOR_EPOCH_AT = 73;
    private static final short ABORT = 0;
    private static final short COMMIT = 1;

    private EndMarker() {}

    /**
     * A marker, ready to be appended; the caller's.
     *
     * @param coordinatorEpoch rises when another owner takes over the transaction's coordinator
     * @param timestamp milliseconds since the epoch
     */
    public static ByteBuf entry(
            ByteBufAllocator allocator,
            long producerId,
            short producerEpoch,
            int coordinatorEpoch,
            boolean commit,
            long timestamp) {
        ByteBuf b = allocator.buffer(SIZE, SIZE);
        b.writeLong(0).writeInt(SIZE - EntryHeader.LENGTH_OVERHEAD).writeInt(0);
        b.writeByte(EntryFormat.KAFKA_V2).writeInt(0);
        b.writeShort(EntryHeader.TRANSACTIONAL | EntryHeader.CONTROL);
        b.writeInt(0).writeLong(timestamp).writeLong(timestamp);
        b.writeLong(producerId).writeShort(producerEpoch).writeInt(-1).writeInt(1);
        writeRecord(b, coordinatorEpoch, commit);
        CRC32C crc = new CRC32C();
        crc.update(b.nioBuffer(EntryHeader.CRC_FROM, SIZE - EntryHeader.CRC_FROM));
        return b.setInt(EntryHeader.CRC_FROM - Integer.BYTES, (int) crc.getValue());
    }

    /** Lengths are zig-zag numbers, here of one byte each: twice the length. */
    private static void writeRecord(ByteBuf b, int coordinatorEpoch, boolean commit) {
        b.writeByte(2 * (SIZE - EntryHeader.SIZE - 1)).writeZero(3);
        b.writeByte(2 * 4).writeShort(0).writeShort(commit ? COMMIT : ABORT);
        b.writeByte(2 * 6).writeShort(0).writeInt(coordinatorEpoch);
        b.writeByte(0);
    }

    /** Whether the entry at {@code at} is one: no other control batch is as long and has such a type. */
    public static boolean is(ByteBuf b, int at) {
        if (!EntryHeader.isControl(b, at) || EntryHeader.size(b, at) != SIZE) {
            return false;
        }
        short type = b.getShort(at + TYPE_AT);
        return type == ABORT || type == COMMIT;
    }

    /** Whether a marker commits. */
    public static boolean commits(ByteBuf b, int at) {
        return b.getShort(at + TYPE_AT) == COMMIT;
    }

    /** Coordinator epoch of a marker. */
    public static int coordinatorEpoch(ByteBuf b, int at) {
        return b.getInt(at + COORDINATOR_EPOCH_AT);
    }
}
