package io.sluice.broker.entry;

import io.netty.buffer.ByteBuf;

/**
 * The 61 bytes every entry begins with. Their layout is that of a Kafka v2 record batch, so a batch is stored as received
 * and a run of Kafka entries is served as it lies in the segment; entries of other formats put their own bytes behind the
 * same header. All numbers are big-endian.
 *
 * <pre>
 *  0 baseOffset i64     12 leaderEpoch i32   21 attributes i16        35 maxTimestamp i64     53 baseSequence i32
 *  8 length i32         16 format i8         23 lastOffsetDelta i32   43 producerId i64       57 count i32
 *    (bytes after it)   17 crc u32           27 baseTimestamp i64     51 producerEpoch i16    61 body ...
 * </pre>
 *
 * <p>The CRC covers bytes 21 to the end (CRC32C); offset and epoch are assigned by the log and lie before it.
 */
public final class EntryHeader {
    /** Bytes of the header. */
    public static final int SIZE = 61;

    /** Bytes before {@code length} starts to count. */
    public static final int LENGTH_OVERHEAD = 12;

    /** Where the part covered by the CRC begins. */
    public static final int CRC_FROM = 21;

    /** {@code producerId} of an entry whose writer is not tracked. */
    public static final long NO_PRODUCER = -1;

    /** Attribute of a Kafka batch: it counts if its producer's transaction is committed. */
    public static final short TRANSACTIONAL = 0x10;

    /** Attribute of a Kafka batch: it is the server's, and no message. */
    public static final short CONTROL = 0x20;

    /** Attribute of an entry of Pulsar's formats: its metadata has a time before which it is not to be delivered; older entries lack it. */
    public static final short DELAYED = 4;

    /** Attribute of an entry of Pulsar's formats: its base timestamp is a {@link #deleteHorizon}. */
    public static final short HAS_DELETE_HORIZON = 8;

    /** {@link #deleteHorizon} of an entry that has none. */
    public static final long NO_HORIZON = -1;

    /** Position of the transaction in an entry of {@link EntryFormat#PULSAR_TRANSACTIONAL}. */
    private static final int TRANSACTION_AT = SIZE + Long.BYTES;

    private EntryHeader() {}

    public static long baseOffset(ByteBuf b, int at) {
        return b.getLong(at);
    }

    /** Whole size of the entry in bytes, header included. */
    public static int size(ByteBuf b, int at) {
        return b.getInt(at + 8) + LENGTH_OVERHEAD;
    }

    public static int leaderEpoch(ByteBuf b, int at) {
        return b.getInt(at + 12);
    }

    /** See {@link EntryFormat}. */
    public static byte format(ByteBuf b, int at) {
        return b.getByte(at + 16);
    }

    public static int crc(ByteBuf b, int at) {
        return b.getInt(at + 17);
    }

    public static short attributes(ByteBuf b, int at) {
        return b.getShort(at + 21);
    }

    /** Whether it counts only if its transaction is committed; see {@link #TRANSACTIONAL}. Markers are transactional, too. */
    public static boolean isTransactional(ByteBuf b, int at) {
        return format(b, at) == EntryFormat.PULSAR_TRANSACTIONAL || has(TRANSACTIONAL, b, at);
    }

    /** Producer id of the transaction; of an entry that is not transactional its producer's. */
    public static long transactionProducerId(ByteBuf b, int at) {
        return format(b, at) == EntryFormat.PULSAR_TRANSACTIONAL ? b.getLong(at + TRANSACTION_AT) : producerId(b, at);
    }

    /** As {@link #transactionProducerId}. */
    public static short transactionProducerEpoch(ByteBuf b, int at) {
        return format(b, at) == EntryFormat.PULSAR_TRANSACTIONAL ? ProducerIds.SINGLE_EPOCH : producerEpoch(b, at);
    }

    /** See {@link #CONTROL}. */
    public static boolean isControl(ByteBuf b, int at) {
        return has(CONTROL, b, at);
    }

    /** See {@link #DELAYED}. */
    public static boolean isDelayed(ByteBuf b, int at) {
        return (attributes(b, at) & DELAYED) != 0 && EntryFormat.isPulsar(format(b, at));
    }

    /**
     * Time from which on the tombstones of an entry of Pulsar's formats may go, milliseconds since the epoch; {@link #NO_HORIZON} until
     * compaction has met them. (A Kafka batch has one of its own, in the same place.)
     */
    public static long deleteHorizon(ByteBuf b, int at) {
        boolean has = (attributes(b, at) & HAS_DELETE_HORIZON) != 0 && EntryFormat.isPulsar(format(b, at));
        return has ? baseTimestamp(b, at) : NO_HORIZON;
    }

    /** Sets the {@link #deleteHorizon}; the checksum is the caller's to set then. */
    public static void setDeleteHorizon(ByteBuf b, int at, long horizon) {
        b.setShort(at + 21, attributes(b, at) | HAS_DELETE_HORIZON);
        b.setLong(at + 27, horizon);
    }

    private static boolean has(short attribute, ByteBuf b, int at) {
        return (attributes(b, at) & attribute) != 0 && format(b, at) == EntryFormat.KAFKA_V2;
    }

    public static int lastOffsetDelta(ByteBuf b, int at) {
        return b.getInt(at + 23);
    }

    /** How many offsets the entry takes: as many as it had messages when it was written, {@link #count} or more. */
    public static int offsets(ByteBuf b, int at) {
        return lastOffsetDelta(b, at) + 1;
    }

    public static long lastOffset(ByteBuf b, int at) {
        return baseOffset(b, at) + lastOffsetDelta(b, at);
    }

    public static long baseTimestamp(ByteBuf b, int at) {
        return b.getLong(at + 27);
    }

    public static long maxTimestamp(ByteBuf b, int at) {
        return b.getLong(at + 35);
    }

    public static long producerId(ByteBuf b, int at) {
        return b.getLong(at + 43);
    }

    public static short producerEpoch(ByteBuf b, int at) {
        return b.getShort(at + 51);
    }

    public static int baseSequence(ByteBuf b, int at) {
        return b.getInt(at + 53);
    }

    /** How many messages the entry has. */
    public static int count(ByteBuf b, int at) {
        return b.getInt(at + 57);
    }

    /** Writes what the log assigns; everything else is the writer's. */
    public static void assign(ByteBuf b, int at, long baseOffset, int leaderEpoch) {
        b.setLong(at, baseOffset);
        b.setInt(at + 12, leaderEpoch);
    }
}
