package io.sluice.kafka.format;

import com.github.luben.zstd.ZstdDecompressCtx;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * Buffers and contexts for decompressing batches on one thread: to make them anew takes zstd six times as long as a
 * small batch does. About 6 MiB at most, and what zstd's window has been filled to by the largest batch.
 */
public final class Decompressors {
    private static final int PIECE = 64 << 10;
    private static final Cleaner CLEANER = Cleaner.create();
    private static final ThreadLocal<Decompressors> OF_THREAD = ThreadLocal.withInitial(Decompressors::new);

    private final byte[] heapPiece = new byte[PIECE];
    private final ByteBuffer directPiece = ByteBuffer.allocateDirect(PIECE);
    private final BufferSupplier buffers = BufferSupplier.create();
    private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();
    private final Cleaner.Cleanable cleaning = closeWith(this, zstd);

    private Decompressors() {}

    private static Cleaner.Cleanable closeWith(Decompressors owner, ZstdDecompressCtx zstd) {
        return CLEANER.register(owner, zstd::close);
    }

    /** To be used by one batch at a time. */
    static Decompressors ofThread() {
        return OF_THREAD.get();
    }

    /** Gives back at once what the thread, which has done its work, would else keep until it is collected. */
    public static void release() {
        OF_THREAD.get().cleaning.clean();
        OF_THREAD.remove();
    }

    byte[] heapPiece() {
        return heapPiece;
    }

    ByteBuffer directPiece() {
        return directPiece;
    }

    BufferSupplier buffers() {
        return buffers;
    }

    ZstdDecompressCtx zstd() {
        return zstd;
    }
}
