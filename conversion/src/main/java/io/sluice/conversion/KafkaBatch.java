package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.DefaultRecord;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.jspecify.annotations.Nullable;

/** A Kafka record batch, magic 2, that is written record by record, with the offsets of the entry that it stands for. */
final class KafkaBatch implements AutoCloseable {
    static final short APPEND_TIME = 0x08;

    /** Bytes that are set aside before the first record. */
    private static final int MOST_AT_FIRST = 1 << 20;

    private final CompressionType compression;
    private final int most;
    private final ByteBufferOutputStream out;
    private final DataOutputStream records;
    private boolean closed;
    private int count;
    private long bytes;
    private long baseTimestamp = RecordBatch.NO_TIMESTAMP;
    private long maxTimestamp = RecordBatch.NO_TIMESTAMP;

    /**
     * @param expected bytes, about
     * @param most bytes of the records, uncompressed
     */
    KafkaBatch(CompressionType compression, int expected, int most) {
        this.compression = compression;
        this.most = most;
        this.out = new ByteBufferOutputStream(EntryHeader.SIZE + Math.min(expected, MOST_AT_FIRST));
        out.position(EntryHeader.SIZE);
        this.records = new DataOutputStream(
                Compression.of(compression).build().wrapForOutput(out, RecordBatch.MAGIC_VALUE_V2));
    }

    /** @param delta offset of the record, from the entry's first; above that of the record before */
    void add(int delta, long timestamp, @Nullable ByteBuffer key, @Nullable ByteBuffer value, Header[] headers)
            throws UnreadableEntryException {
        if (count == 0) {
            baseTimestamp = timestamp;
            maxTimestamp = timestamp;
        }
        maxTimestamp = Math.max(maxTimestamp, timestamp);
        try {
            bytes += DefaultRecord.writeTo(records, delta, timestamp - baseTimestamp, key, value, headers);
        } catch (IOException e) {
            throw new UncheckedIOException("a stream into memory failed", e);
        }
        count++;
        if (bytes > most) {
            throw new UnreadableEntryException(
                    "as a Kafka batch it would have more than the limit, " + most + " bytes");
        }
    }

    /**
     * Producer's part of a batch's header.
     *
     * @param attributes but the compression
     */
    record Producer(long id, short epoch, int sequence, int attributes) {
        static final Producer NONE =
                new Producer(RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH, RecordBatch.NO_SEQUENCE, 0);
    }

    /** Ends the compression; again is a no-op. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                records.close();
            } catch (IOException e) {
                throw new UncheckedIOException("a stream into memory failed", e);
            }
        }
    }

    /** The batch in place of the entry at {@code at}; on the heap. Once. */
    ByteBuf finish(ByteBuf entries, int at, Producer producer) {
        close();
        ByteBuffer written = out.buffer().flip();
        int size = written.remaining();
        ByteBuf b = Unpooled.wrappedBuffer(Arrays.copyOf(written.array(), size)); // without the room that was not used
        b.setLong(0, EntryHeader.baseOffset(entries, at)).setInt(8, size - EntryHeader.LENGTH_OVERHEAD);
        b.setInt(12, EntryHeader.leaderEpoch(entries, at)).setByte(16, EntryFormat.KAFKA_V2);
        b.setShort(21, producer.attributes | compression.id).setInt(23, EntryHeader.lastOffsetDelta(entries, at));
        b.setLong(27, baseTimestamp).setLong(35, maxTimestamp);
        b.setLong(43, producer.id).setShort(51, producer.epoch).setInt(53, producer.sequence);
        b.setInt(57, count);
        CRC32C crc = new CRC32C();
        crc.update(b.nioBuffer(EntryHeader.CRC_FROM, size - EntryHeader.CRC_FROM));
        b.setInt(17, (int) crc.getValue());
        return b;
    }
}
