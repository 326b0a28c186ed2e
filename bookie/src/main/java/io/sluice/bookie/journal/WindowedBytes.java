package io.sluice.bookie.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file read past the page cache, which would take as much memory as the file has bytes for what is looked at once.
 *
 * <p>There is one window. It grows while what is asked for lies one behind the other, and is small again after a jump: of large
 * records of which only the headers are asked for little is read in vain.
 */
final class WindowedBytes implements FileBytes {
    private static final int BLOCK = JournalFormat.WRITE_ALIGNMENT;
    private static final int LEAST_WINDOW = 4 * BLOCK;
    private static final int MOST_WINDOW = 1 << 20;

    private final Path path;
    private final FileChannel channel;
    private final long size;
    private ByteBuf memory = Unpooled.EMPTY_BUFFER;
    private ByteBuffer window = ByteBuffer.allocate(0);
    private int wanted = LEAST_WINDOW;
    private long from;
    private long to;

    WindowedBytes(Path path) throws IOException {
        this.path = path;
        channel = PastPageCache.open(path, BLOCK, StandardOpenOption.READ);
        try {
            size = channel.size();
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public int intAt(long at) throws IOException {
        need(at, Integer.BYTES);
        return window.getInt((int) (at - from));
    }

    @Override
    public long longAt(long at) throws IOException {
        need(at, Long.BYTES);
        return window.getLong((int) (at - from));
    }

    @Override
    public ByteBuffer slice(long at, int length) throws IOException {
        need(at, length);
        return window.slice((int) (at - from), length);
    }

    /** Has these bytes in the window, perhaps another one. */
    private void need(long at, int length) throws IOException {
        if (at < from || at + length > to) {
            wanted = at >= from && at <= to + wanted ? Math.min(2 * wanted, MOST_WINDOW) : LEAST_WINDOW;
            long begin = at - at % BLOCK;
            long least = at + length - begin;
            read(begin, Math.toIntExact(Math.max(wanted, Math.ceilDiv(least, BLOCK) * BLOCK)));
            if (at + length > to) {
                throw new EOFException(path + " ends before byte " + (at + length));
            }
        }
    }

    private void read(long begin, int bytes) throws IOException {
        if (window.capacity() < bytes) {
            memory.release();
            memory = PooledByteBufAllocator.DEFAULT.directBuffer(bytes + BLOCK);
            window = memory.nioBuffer(0, bytes + BLOCK).alignedSlice(BLOCK);
        }
        // nothing is in it until the read has returned
        from = begin;
        to = begin;
        to += PastPageCache.read(channel, window.clear().limit(bytes), begin);
    }

    @Override
    public void close() throws IOException {
        memory.release();
        memory = Unpooled.EMPTY_BUFFER;
        window = ByteBuffer.allocate(0);
        channel.close();
    }
}
