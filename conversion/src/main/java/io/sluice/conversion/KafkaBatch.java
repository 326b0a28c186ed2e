package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.apache.kafka.common.utils.internals.ByteUtils;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka record batch, magic 2, that is written record by record, with the offsets of the entry that it stands for. Values are copied once, from
 * where they lie in the entry to the batch; the library's streams take a lock for each field and want the value in an array of its own.
 */
final class KafkaBatch {
    static final short APPEND_TIME = 0x08;

    /** Bytes that are set aside before the first record. */
    private static final int MOST_AT_FIRST = 1 << 20;

    /** Part of a batch that may be room which was not used; with more it is copied. */
    private static final int PART_UNUSED = 8;

    private static final byte[] NOTHING = {};

    private final CompressionType compression;
    private final int most;
    /** The header's room, records. */
    private ByteBuffer batch;

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
        this.batch = ByteBuffer.allocate(EntryHeader.SIZE + Math.min(expected, MOST_AT_FIRST))
                .position(EntryHeader.SIZE);
    }

    /**
     * Adds a record.
     *
     * @param delta offset of the record, from the entry's first; above that of the record before
     * @param value the readable bytes, which stay the caller's
     */
    void add(int delta, long timestamp, byte @Nullable [] key, @Nullable ByteBuf value, Header[] headers)
            throws UnreadableEntryException {
        add(delta, timestamp, key, NOTHING, value, headers);
    }

    /** @param before bytes of the value before those that are given */
    void add(int delta, long timestamp, byte @Nullable [] key, byte[] before, @Nullable ByteBuf value, Header[] headers)
            throws UnreadableEntryException {
        if (count == 0) {
            baseTimestamp = timestamp;
            maxTimestamp = timestamp;
        }
        maxTimestamp = Math.max(maxTimestamp, timestamp);
        count++;
        long later = timestamp - baseTimestamp;
        long body = 1L + ByteUtils.sizeOfVarlong(later) + ByteUtils.sizeOfVarint(delta) + size(headers);
        body += size(key == null ? -1 : key.length) + size(value == null ? -1 : before.length + value.readableBytes());
        long size = body > most ? body : body + ByteUtils.sizeOfVarint((int) body);
        bytes += size;
        if (bytes > most) {
            throw new UnreadableEntryException(
                    "as a Kafka batch it would have more than the limit, " + most + " bytes");
        }
        makeRoom((int) size);
        ByteUtils.writeVarint((int) body, batch);
        batch.put((byte) 0);
        ByteUtils.writeVarlong(later, batch);
        ByteUtils.writeVarint(delta, batch);
        put(key);
        if (value == null) {
            ByteUtils.writeVarint(-1, batch);
        } else {
            int length = value.readableBytes();
            ByteUtils.writeVarint(before.length + length, batch);
            batch.put(before);
            value.getBytes(value.readerIndex(), batch.array(), batch.position(), length);
            batch.position(batch.position() + length);
        }
        ByteUtils.writeVarint(headers.length, batch);
        for (Header header : headers) {
            put(Utf8.bytes(header.key()));
            put(header.value());
        }
    }

    private static long size(Header[] headers) {
        long size = ByteUtils.sizeOfVarint(headers.length);
        for (Header header : headers) {
            byte[] value = header.value();
            size += size(Utils.utf8Length(header.key())) + size(value == null ? -1 : value.length);
        }
        return size;
    }

    /** Bytes of a field with its length, which is -1 for null. */
    private static long size(int length) {
        return (long) ByteUtils.sizeOfVarint(length) + Math.max(0, length);
    }

    private void put(byte @Nullable [] field) {
        if (field == null) {
            ByteUtils.writeVarint(-1, batch);
        } else {
            ByteUtils.writeVarint(field.length, batch);
            batch.put(field);
        }
    }

    private void makeRoom(int size) {
        if (size > batch.remaining()) {
            long needed = (long) batch.position() + size;
            int capacity = (int) Math.max(needed, Math.min(2L * batch.capacity(), EntryHeader.SIZE + (long) most));
            batch = ByteBuffer.allocate(capacity).put(batch.flip());
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

    /** The batch in place of the entry at {@code at}; on the heap. Once. */
    ByteBuf finish(ByteBuf entries, int at, Producer producer) {
        ByteBuffer written = compression == CompressionType.NONE ? batch : compressed();
        int size = written.position();
        byte[] array = written.array();
        ByteBuf b = array.length - size > size / PART_UNUSED
                ? Unpooled.wrappedBuffer(Arrays.copyOf(array, size))
                : Unpooled.wrappedBuffer(array, 0, size);
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

    private ByteBuffer compressed() {
        int records = batch.position() - EntryHeader.SIZE;
        var out = new ByteBufferOutputStream(EntryHeader.SIZE + records / 2 + 512);
        out.position(EntryHeader.SIZE);
        try (OutputStream packed = Compression.of(compression).build().wrapForOutput(out, RecordBatch.MAGIC_VALUE_V2)) {
            packed.write(batch.array(), EntryHeader.SIZE, records);
        } catch (IOException e) {
            throw new UncheckedIOException("a stream into memory failed", e);
        }
        return out.buffer();
    }
}
