package io.sluice.kafka.format;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;

/** Bytes that come out of a decompressor, 64 KiB at a time. Of Kafka's consumers everything but zstd uses the same code. */
sealed interface Decompression {
    /** Bytes of a zstd window that may be filled: what levels up to 19 take, and what every decompressor should have. */
    int MOST_WINDOW = 8 << 20;

    /** The next bytes, valid until the next call; null at the end. Whatever is thrown, the bytes cannot be decompressed. */
    @Nullable
    ByteBuffer next() throws IOException;

    void close();

    /** @param packed direct if it is zstd's */
    static Decompression of(CompressionType type, ByteBuffer packed, Decompressors tools) {
        if (type == CompressionType.ZSTD) {
            return new Zstd(tools.zstd(), packed, tools.directPiece());
        }
        InputStream stream =
                Compression.of(type).build().wrapForInput(packed, RecordBatch.MAGIC_VALUE_V2, tools.buffers());
        return new Stream(stream, ByteBuffer.wrap(tools.heapPiece()));
    }

    /** Kafka's streams. */
    record Stream(InputStream in, ByteBuffer piece) implements Decompression {
        @Override
        public @Nullable ByteBuffer next() throws IOException {
            int bytes = 0;
            while (bytes == 0) {
                bytes = in.read(piece.array(), 0, piece.capacity());
            }
            return bytes < 0 ? null : piece.position(0).limit(bytes);
        }

        @Override
        public void close() {
            try {
                in.close();
            } catch (IOException e) {
                // Its bytes were in memory, and have been read or found wrong.
            }
        }
    }

    /** Kafka's stream for zstd makes a context for every batch; this one is used again. */
    final class Zstd implements Decompression {
        private final ZstdDecompressCtx context;
        private final ByteBuffer packed;
        private final ByteBuffer piece;
        private boolean frameDone = true;
        private long window;
        private long ofFrame;

        Zstd(ZstdDecompressCtx context, ByteBuffer packed, ByteBuffer piece) {
            this.context = context;
            this.packed = packed;
            this.piece = piece;
            context.reset();
        }

        @Override
        public @Nullable ByteBuffer next() throws IOException {
            while (!frameDone || packed.hasRemaining()) {
                if (frameDone) {
                    window = ZstdWindow.of(packed);
                    ofFrame = 0;
                }
                int before = packed.position();
                try {
                    frameDone = context.decompressDirectByteBufferStream(piece.clear(), packed);
                } catch (ZstdException e) {
                    throw new IOException(e.getMessage(), e);
                }
                if (piece.position() > 0) {
                    ofFrame += piece.position();
                    checkWindow();
                    return piece.flip();
                }
                if (!frameDone && packed.position() == before) {
                    throw new IOException("it ends in the middle of a frame");
                }
            }
            return null;
        }

        /** A window is memory only as far as bytes came out of it. */
        private void checkWindow() throws IOException {
            if (window > MOST_WINDOW && ofFrame > MOST_WINDOW) {
                throw new IOException("a zstd window of " + window + " bytes is over the limit, " + MOST_WINDOW);
            }
        }

        @Override
        public void close() {}
    }
}
