package io.sluice.kafka.format;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/**
 * Zstd as Kafka makes it, but for the memory of the high levels: their tables and window are for much more than a batch. Of 4 MiB
 * of text, level 22 made 1.57 MiB with 712 MiB of memory in 16 s; so limited, 1.58 MiB with 13 MiB in 3 s.
 */
record ZstdTarget(int level) implements Compression {
    /** Below, the tables are small as they are. */
    private static final int FIRST_HIGH_LEVEL = 12;

    /** Largest logarithm of the window's bytes and of the tables' entries of 4 bytes. */
    private static final int MOST_LOG = 20;

    @Override
    public CompressionType type() {
        return CompressionType.ZSTD;
    }

    @Override
    public OutputStream wrapForOutput(ByteBufferOutputStream out, byte messageVersion) {
        try {
            ZstdOutputStreamNoFinalizer stream =
                    new ZstdOutputStreamNoFinalizer(out, RecyclingBufferPool.INSTANCE, level);
            if (level >= FIRST_HIGH_LEVEL) {
                stream.setWindowLog(MOST_LOG).setChainLog(MOST_LOG).setHashLog(MOST_LOG);
            }
            return stream;
        } catch (IOException e) {
            throw new UncheckedIOException("a stream into memory failed", e);
        }
    }

    @Override
    public InputStream wrapForInput(ByteBuffer in, byte messageVersion, BufferSupplier buffers) {
        return Compression.zstd().build().wrapForInput(in, messageVersion, buffers);
    }
}
