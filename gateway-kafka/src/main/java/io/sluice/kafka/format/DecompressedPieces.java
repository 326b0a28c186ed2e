package io.sluice.kafka.format;

import io.netty.buffer.ByteBuf;
import io.sluice.conversion.SnappyBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * Compressed records, decompressed a piece at a time.
 *
 * <p>What a hostile batch may take beside a piece ({@link #MOST_MEMORY}): a block of LZ4 (4 MiB), a block of Snappy, or what a window of
 * zstd is filled to ({@link Decompression#MOST_WINDOW}).
 */
public final class DecompressedPieces implements RecordWalk.Pieces, AutoCloseable {
    /** A batch that becomes larger is refused: at a gigabyte per second it would keep a processor for a quarter of a second. */
    private static final long MAX_BYTES = 256L << 20;

    /** Snappy decompresses a block as a whole. Producers write blocks of 32 KiB, or of a whole batch. */
    private static final int MAX_SNAPPY_BLOCK = 16 << 20;

    /** Bytes that come out of decompressing one batch and are kept, at most; those of a block of Snappy have the packed ones beside them. */
    public static final int MOST_MEMORY = MAX_SNAPPY_BLOCK;

    private final Decompression decompression;
    private final @Nullable ByteBuf copy;
    private final WalkBudget budget;
    private long given;

    private DecompressedPieces(Decompression decompression, @Nullable ByteBuf copy, WalkBudget budget) {
        this.decompression = decompression;
        this.copy = copy;
        this.budget = budget;
    }

    /** @param in borrowed until the pieces are closed */
    static DecompressedPieces of(ByteBuf in, int from, int length, CompressionType type, WalkBudget budget)
            throws RecordWalk.Unreadable, WalkBudget.Spent {
        ByteBuffer[] places = in.nioBuffers(from, length);
        if (places.length == 1 && places[0].isDirect()) {
            return open(places[0], null, type, budget);
        }
        // Decompressors want their input in one piece, that of zstd outside the heap.
        ByteBuf copy = in.alloc().directBuffer(length).writeBytes(in, from, length);
        DecompressedPieces opened = null;
        try {
            opened = open(copy.nioBuffer(), copy, type, budget);
            return opened;
        } finally {
            if (opened == null) {
                copy.release();
            }
        }
    }

    private static DecompressedPieces open(
            ByteBuffer packed, @Nullable ByteBuf copy, CompressionType type, WalkBudget budget)
            throws RecordWalk.Unreadable, WalkBudget.Spent {
        if (type == CompressionType.SNAPPY) {
            long largest = SnappyBlocks.largest(packed);
            if (largest == Long.MAX_VALUE) {
                throw new RecordWalk.Unreadable("the blocks of Snappy do not read");
            }
            if (largest > MAX_SNAPPY_BLOCK) {
                throw new RecordWalk.Unreadable(
                        "a Snappy block of " + largest + " bytes is over the limit, " + MAX_SNAPPY_BLOCK);
            }
            budget.checkBytes((int) largest);
        }
        try {
            return new DecompressedPieces(Decompression.of(type, packed, Decompressors.ofThread()), copy, budget);
        } catch (RuntimeException e) {
            throw broken(e);
        }
    }

    @Override
    public @Nullable ByteBuffer next() throws RecordWalk.Unreadable, WalkBudget.Spent {
        ByteBuffer piece;
        try {
            piece = decompression.next();
        } catch (IOException | RuntimeException e) {
            throw broken(e);
        }
        if (piece != null) {
            budget.spendBytes(piece.remaining());
            given += piece.remaining();
            if (given > MAX_BYTES) {
                throw new RecordWalk.Unreadable("the records have more than " + MAX_BYTES + " bytes when decompressed");
            }
        }
        return piece;
    }

    private static RecordWalk.Unreadable broken(Exception e) {
        return new RecordWalk.Unreadable("the records cannot be decompressed: " + e.getMessage());
    }

    @Override
    public void close() {
        decompression.close();
        if (copy != null) {
            copy.release();
        }
    }
}
