package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/** Compression of both protocols: one that both know stays, gzip and zlib become LZ4, which every client reads. Bounded by what comes out. */
final class Codecs {
    private static final int PIECE = 64 << 10;
    private static final int COMPRESSION_MASK = 0x07;

    private Codecs() {}

    static CompressionType toKafka(org.apache.pulsar.common.api.proto.CompressionType type) {
        return switch (type) {
            case NONE -> CompressionType.NONE;
            case LZ4, ZLIB -> CompressionType.LZ4;
            case ZSTD -> CompressionType.ZSTD;
            case SNAPPY -> CompressionType.SNAPPY;
        };
    }

    static org.apache.pulsar.common.api.proto.CompressionType toPulsar(CompressionType type) {
        return switch (type) {
            case NONE -> org.apache.pulsar.common.api.proto.CompressionType.NONE;
            case LZ4, GZIP -> org.apache.pulsar.common.api.proto.CompressionType.LZ4;
            case ZSTD -> org.apache.pulsar.common.api.proto.CompressionType.ZSTD;
            case SNAPPY -> org.apache.pulsar.common.api.proto.CompressionType.SNAPPY;
        };
    }

    static CompressionType ofBatch(ByteBuf entries, int at) throws UnreadableEntryException {
        int id = EntryHeader.attributes(entries, at) & COMPRESSION_MASK;
        if (id > CompressionType.ZSTD.id) {
            throw new UnreadableEntryException("compression " + id + " is not known");
        }
        return CompressionType.forId(id);
    }

    /** Records of a Kafka batch, decompressed; the entry's own bytes where they are not compressed. */
    static ByteBuffer records(ByteBuf entries, int at, CompressionType type, int most) throws UnreadableEntryException {
        int from = at + EntryHeader.SIZE;
        int bytes = EntryHeader.size(entries, at) - EntryHeader.SIZE;
        if (bytes < 0 || bytes > most || bytes > entries.writerIndex() - from) {
            throw new UnreadableEntryException("it has " + bytes + " bytes, the limit is " + most);
        }
        if (type == CompressionType.NONE) {
            return entries.nioBuffer(from, bytes);
        }
        byte[] packed = new byte[bytes];
        entries.getBytes(from, packed);
        if (type == CompressionType.SNAPPY && SnappyBlocks.largest(ByteBuffer.wrap(packed)) > most) {
            throw new UnreadableEntryException("a Snappy block is over the limit, " + most);
        }
        try (BufferSupplier buffers = BufferSupplier.create();
                InputStream in = Compression.of(type)
                        .build()
                        .wrapForInput(ByteBuffer.wrap(packed), RecordBatch.MAGIC_VALUE_V2, buffers)) {
            return readAll(in, bytes, most);
        } catch (IOException | RuntimeException e) { // what codecs throw is not narrower
            throw new UnreadableEntryException("it cannot be decompressed");
        }
    }

    private static ByteBuffer readAll(InputStream in, int packed, int most)
            throws IOException, UnreadableEntryException {
        byte[] out = new byte[Math.clamp(4L * packed, PIECE, most)];
        int length = 0;
        for (int n = in.read(out, 0, out.length); n >= 0; n = in.read(out, length, out.length - length)) {
            length += n;
            if (length == out.length) {
                if (length >= most) {
                    throw new UnreadableEntryException("it would have more than the limit, " + most + " bytes");
                }
                out = Arrays.copyOf(out, (int) Math.min(2L * out.length, most));
            }
        }
        return ByteBuffer.wrap(out, 0, length);
    }
}
