package io.sluice.tiering.objectstore.filesystem;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes a file past the system's page cache, where its file system can do that.
 *
 * <p>An object is read much later or never: in the page cache it would cost a copy, push out what is read, and be dirty for
 * a while, and then the log's fsyncs on the same disk wait for it.
 */
final class DirectWriter {
    /** A write of the log that comes meanwhile waits for one of them. */
    private static final int CHUNK = 256 << 10;

    private static final int MOST_IDLE_CHUNKS = 8;

    private final int blockSize;
    /** A multiple of a block. */
    private final int chunkSize;

    private final DiskTurns turns;
    private final ConcurrentLinkedQueue<ByteBuffer> idleChunks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger idle = new AtomicInteger();
    private volatile boolean closed;

    /** @param blockSize see {@link DirectFiles#blockSize} */
    DirectWriter(int blockSize, DiskTurns turns) {
        this.blockSize = blockSize;
        this.chunkSize = Math.max(CHUNK, blockSize);
        this.turns = turns;
    }

    /** @throws IOException it is closed */
    void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("the store is closed");
        }
    }

    /** Cancels the write before its next piece. */
    void close() {
        closed = true;
    }

    /** Replaces the file; durable when this returns. */
    void write(Path file, ByteBuf content) throws IOException {
        FileChannel direct = blockSize == DirectFiles.NONE
                ? null
                : DirectFiles.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
        if (direct == null) {
            writeCached(file, content);
            return;
        }
        try (FileChannel channel = direct) {
            int end = writeBlocks(channel, content);
            if (end != content.readableBytes()) {
                channel.truncate(content.readableBytes());
            }
            channel.force(false);
        }
    }

    /** @return position behind the last block, which is filled up with zeros */
    private int writeBlocks(FileChannel channel, ByteBuf content) throws IOException {
        ByteBuffer chunk = takeChunk();
        try {
            int at = 0;
            int length = content.readableBytes();
            while (at < length) {
                checkOpen();
                int bytes = Math.min(chunkSize, length - at);
                chunk.clear().limit(bytes);
                content.getBytes(content.readerIndex() + at, chunk);
                chunk.limit(-Math.floorDiv(-bytes, blockSize) * blockSize);
                while (chunk.position() < chunk.limit()) {
                    chunk.put((byte) 0);
                }
                chunk.flip();
                turns.write(channel, at, chunk);
                at += chunk.limit();
            }
            return at;
        } finally {
            giveChunk(chunk);
        }
    }

    private ByteBuffer takeChunk() {
        ByteBuffer chunk = idleChunks.poll();
        if (chunk != null) {
            idle.decrementAndGet();
            return chunk;
        }
        return ByteBuffer.allocateDirect(chunkSize + blockSize).alignedSlice(blockSize);
    }

    private void giveChunk(ByteBuffer chunk) {
        if (idle.incrementAndGet() <= MOST_IDLE_CHUNKS) {
            idleChunks.add(chunk);
        } else {
            idle.decrementAndGet();
        }
    }

    private static void writeCached(Path file, ByteBuf content) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer[] buffers = content.nioBuffers();
            int next = 0;
            while (next < buffers.length) {
                // Takes as many buffers per call as the system allows (1,024 on Linux).
                channel.write(buffers, next, buffers.length - next);
                while (next < buffers.length && !buffers[next].hasRemaining()) {
                    next++;
                }
            }
            channel.force(false);
        }
    }
}
