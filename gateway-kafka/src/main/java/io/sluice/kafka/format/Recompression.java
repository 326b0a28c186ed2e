package io.sluice.kafka.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/**
 * Brings a batch into the compression that its topic asks for ({@code compression.type}; docs/adr/0028). Behind a batch's
 * header lie its records, one behind the other and compressed as one piece: that piece is decompressed and compressed
 * again a few kilobytes at a time, and what a record is need not be known. Of the header, the length, the compression and
 * the checksum change.
 */
public final class Recompression {
    /** Decompressed; as much as the largest request, so that whatever a producer can send uncompressed passes. */
    private static final long MAX_RECORDS_BYTES = 64 << 20;

    private static final int PIECE = 16 << 10;

    private static final int LENGTH_AT = 8;
    private static final int CRC_AT = 17;
    private static final int ATTRIBUTES_AT = 21;
    private static final int COMPRESSION_MASK = 0x07;

    private Recompression() {}

    /** A batch that cannot be stored in this compression. */
    public static final class Refused extends Exception {
        private final transient BatchValidator.Refusal refusal;

        Refused(Errors error, String message) {
            super(message, null, false, false);
            this.refusal = new BatchValidator.Refusal(error, message);
        }

        public BatchValidator.Refusal refusal() {
            return refusal;
        }
    }

    /** Whether a batch, if it is one, is in another compression. The level does not count, as in Kafka. */
    public static boolean isNeeded(ByteBuf batch, Compression wanted) {
        return batch.readableBytes() >= EntryHeader.SIZE
                && (EntryHeader.attributes(batch, batch.readerIndex()) & COMPRESSION_MASK) != wanted.type().id;
    }

    /**
     * The batch in another compression; takes memory for {@code maxBytes} and processor time for the records, so not on a
     * loop.
     *
     * @param batch one that passed {@link BatchValidator}; not changed, stays the caller's
     * @param maxBytes largest batch that the topic takes
     * @return owned by the caller
     */
    public static ByteBuf of(ByteBuf batch, Compression wanted, int maxBytes) throws Refused {
        int bytes = EntryHeader.size(batch, batch.readerIndex()) - EntryHeader.SIZE;
        ByteBufferOutputStream out = new ByteBufferOutputStream(EntryHeader.SIZE + bytes);
        out.position(EntryHeader.SIZE);
        try (OutputStream to = wanted.wrapForOutput(out, RecordBatch.MAGIC_VALUE_V2)) {
            copy(batch, bytes, new Target(to, out, maxBytes));
        } catch (IOException e) {
            throw new UncheckedIOException("a stream into memory failed", e);
        }
        checkSize(out, maxBytes);
        ByteBuffer made = out.buffer();
        made.flip();
        return withHeader(batch, Unpooled.wrappedBuffer(made), wanted.type());
    }

    /** @param out where {@code to} puts what it has compressed */
    private record Target(OutputStream to, ByteBufferOutputStream out, int maxBytes) {
        void write(byte[] piece, int bytes) throws IOException, Refused {
            to.write(piece, 0, bytes);
            checkSize(out, maxBytes);
        }
    }

    private static void copy(ByteBuf batch, int bytes, Target target) throws IOException, Refused {
        int from = batch.readerIndex() + EntryHeader.SIZE;
        byte[] piece = new byte[PIECE];
        CompressionType type = compressionOf(batch);
        if (type == CompressionType.NONE) {
            for (int done = 0; done < bytes; done += PIECE) {
                int n = Math.min(PIECE, bytes - done);
                batch.getBytes(from + done, piece, 0, n);
                target.write(piece, n);
            }
            return;
        }
        try (DecompressedPieces pieces = DecompressedPieces.of(batch, from, bytes, type, WalkBudget.unlimited())) {
            long total = 0;
            for (ByteBuffer next = pieces.next(); next != null; next = pieces.next()) {
                total += next.remaining();
                if (total > MAX_RECORDS_BYTES) {
                    throw new Refused(
                            Errors.MESSAGE_TOO_LARGE,
                            "the batch's records have more than " + MAX_RECORDS_BYTES + " bytes");
                }
                while (next.hasRemaining()) {
                    int n = Math.min(PIECE, next.remaining());
                    next.get(piece, 0, n);
                    target.write(piece, n);
                }
            }
        } catch (RecordWalk.Unreadable e) {
            throw new Refused(Errors.INVALID_RECORD, String.valueOf(e.getMessage()));
        } catch (WalkBudget.Spent e) {
            throw new IllegalStateException("a budget without limit was spent", e);
        }
    }

    private static CompressionType compressionOf(ByteBuf batch) {
        return CompressionType.forId(EntryHeader.attributes(batch, batch.readerIndex()) & COMPRESSION_MASK);
    }

    private static void checkSize(ByteBufferOutputStream out, int maxBytes) throws Refused {
        if (out.position() > maxBytes) {
            throw new Refused(
                    Errors.MESSAGE_TOO_LARGE,
                    "in the topic's compression.type the batch has more than " + maxBytes + " bytes, the limit");
        }
    }

    private static ByteBuf withHeader(ByteBuf old, ByteBuf made, CompressionType type) {
        int attributes = EntryHeader.attributes(old, old.readerIndex()) & ~COMPRESSION_MASK | type.id;
        made.setBytes(0, old, old.readerIndex(), EntryHeader.SIZE);
        made.setInt(LENGTH_AT, made.readableBytes() - EntryHeader.LENGTH_OVERHEAD);
        made.setShort(ATTRIBUTES_AT, attributes);
        CRC32C crc = new CRC32C();
        crc.update(made.nioBuffer(EntryHeader.CRC_FROM, made.readableBytes() - EntryHeader.CRC_FROM));
        made.setInt(CRC_AT, (int) crc.getValue());
        return made;
    }
}
