package io.sluice.tiering.objectstore.filesystem;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads from a file: much at once past the system's page cache, where its file system can do that, into the memory that is
 * answered with.
 *
 * <pre>
 *   file      ──┬─────────┬─ ... ─┬─────────┬──     blocks
 *                   └── what is asked for ─┘
 *   buffer      │ (spare) │                 │
 *               └ at a multiple of the block size
 * </pre>
 *
 * <p>A reader of that much reads on, and will not read it again soon: the page cache would cost a copy and the bookkeeping
 * of its pages, and give up what others come back to. The streaming cache is what readers share.
 */
final class DirectReader {
    private static final int LEAST_DIRECT = 32 << 10;

    private final int blockSize;
    private final DiskTurns turns;

    /** @param blockSize see {@link DirectFiles#blockSize} */
    DirectReader(int blockSize, DiskTurns turns) {
        this.blockSize = blockSize;
        this.turns = turns;
    }

    /**
     * @return {@code length} bytes, the caller's to release
     * @throws EOFException the file ends before, and where
     */
    ByteBuf read(Path file, long offset, int length, ByteBufAllocator allocator) throws IOException {
        FileChannel direct = blockSize == DirectFiles.NONE || length < LEAST_DIRECT
                ? null
                : DirectFiles.open(file, StandardOpenOption.READ);
        if (direct == null) {
            return readCached(file, offset, length, allocator);
        }
        try (FileChannel channel = direct) {
            long first = offset & -blockSize;
            int spare = (int) (offset - first);
            int blocks = spare + length + blockSize - 1 & -blockSize;
            ByteBuf buffer = allocator.directBuffer(blocks + blockSize, blocks + blockSize);
            try {
                int start = -Math.toIntExact(buffer.memoryAddress() & blockSize - 1) & blockSize - 1;
                checkSize(channel, offset + length);
                turns.read(channel, first, buffer.nioBuffer(start, blocks), spare + length);
                return buffer.setIndex(start + spare, start + spare + length);
            } catch (IOException | RuntimeException e) {
                buffer.release();
                throw e;
            }
        }
    }

    private static ByteBuf readCached(Path file, long offset, int length, ByteBufAllocator allocator)
            throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuf buffer = allocator.directBuffer(length, length);
            try {
                ByteBuffer into = buffer.nioBuffer(0, length);
                checkSize(channel, offset + length);
                while (into.hasRemaining()) {
                    if (channel.read(into, offset + into.position()) < 0) {
                        throw new EOFException("has become shorter than " + (offset + length) + " meanwhile");
                    }
                }
                return buffer.writerIndex(length);
            } catch (IOException | RuntimeException e) {
                buffer.release();
                throw e;
            }
        }
    }

    private static void checkSize(FileChannel channel, long end) throws IOException {
        long size = channel.size();
        if (size < end) {
            throw new EOFException("ends at " + size + ", before " + end);
        }
    }
}
