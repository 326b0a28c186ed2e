package io.sluice.kafka.format;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.apache.kafka.common.utils.internals.ByteUtils;
import org.jspecify.annotations.Nullable;

/** A batch under a good checksum whose records and header say whatever a test wants. */
public final class HandMadeBatch {
    private final ByteArrayOutputStream records = new ByteArrayOutputStream();
    private int count;
    private @Nullable Integer saidCount;
    private long baseTimestamp;
    private long maxTimestamp;
    private int attributes;
    private byte @Nullable [] compressed;

    /** The fields of a record, in the order in which they lie. */
    public static final class Fields {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        public Fields octet(int value) {
            bytes.write(value);
            return this;
        }

        public Fields varint(long value) {
            ByteBuffer number = ByteBuffer.allocate(10);
            ByteUtils.writeVarlong(value, number);
            bytes.write(number.array(), 0, number.position());
            return this;
        }

        public Fields bytes(byte[] value) {
            bytes.writeBytes(value);
            return this;
        }

        public byte[] toArray() {
            return bytes.toByteArray();
        }
    }

    /** A record without headers as it should be. */
    public static Fields fields(int offsetDelta, long timestampDelta, byte @Nullable [] key, byte[] value) {
        Fields fields = new Fields().octet(0).varint(timestampDelta).varint(offsetDelta);
        if (key == null) {
            fields.varint(-1);
        } else {
            fields.varint(key.length).bytes(key);
        }
        return fields.varint(value.length).bytes(value).varint(0);
    }

    public HandMadeBatch record(Fields fields) {
        byte[] body = fields.toArray();
        return record(body.length, body);
    }

    /** A record that says it has {@code size} bytes. */
    public HandMadeBatch record(int size, byte[] body) {
        count++;
        return raw(new Fields().varint(size).bytes(body).toArray());
    }

    public HandMadeBatch raw(byte[] bytes) {
        records.writeBytes(bytes);
        return this;
    }

    /** {@code n} good records with these values. */
    public HandMadeBatch good(int n, byte[] value) {
        for (int i = 0; i < n; i++) {
            record(fields(count, 0, new byte[] {'k'}, value));
        }
        return this;
    }

    public HandMadeBatch count(int said) {
        saidCount = said;
        return this;
    }

    public HandMadeBatch timestamps(long base, long max) {
        baseTimestamp = base;
        maxTimestamp = max;
        return this;
    }

    public HandMadeBatch attributes(int bits) {
        attributes |= bits;
        return this;
    }

    public HandMadeBatch compress(CompressionType type) {
        return compressed(type, compress(type, records.toByteArray()));
    }

    /** What stands for the compressed records, whether it is that or not. */
    public HandMadeBatch compressed(CompressionType type, byte[] bytes) {
        attributes |= type.id;
        compressed = bytes;
        return this;
    }

    public static byte[] compress(CompressionType type, byte[] bytes) {
        ByteBufferOutputStream out = new ByteBufferOutputStream(1024);
        try (OutputStream packed = Compression.of(type).build().wrapForOutput(out, RecordBatch.MAGIC_VALUE_V2)) {
            packed.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ByteBuffer buffer = out.buffer().flip();
        byte[] array = new byte[buffer.remaining()];
        buffer.get(array);
        return array;
    }

    public ByteBuffer build() {
        byte[] body = compressed == null ? records.toByteArray() : compressed;
        int said = saidCount == null ? count : saidCount;
        ByteBuffer batch = ByteBuffer.allocate(61 + body.length);
        batch.putLong(0).putInt(batch.capacity() - 12).putInt(-1).put((byte) 2).putInt(0);
        batch.putShort((short) attributes)
                .putInt(said - 1)
                .putLong(baseTimestamp)
                .putLong(maxTimestamp);
        batch.putLong(-1).putShort((short) -1).putInt(-1).putInt(said).put(body);
        CRC32C crc = new CRC32C();
        crc.update(batch.array(), 21, batch.capacity() - 21);
        batch.putInt(17, (int) crc.getValue());
        return batch.flip();
    }
}
