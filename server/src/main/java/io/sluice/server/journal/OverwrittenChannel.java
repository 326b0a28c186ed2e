package io.sluice.server.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * Writes a journal over what a file held before: behind each write comes a length of zero, which ends the journal for its
 * readers, until the next write replaces it.
 */
final class OverwrittenChannel extends FileChannel {
    private final FileChannel file;
    private final Runnable closed;
    private final ByteBuffer end = ByteBuffer.allocateDirect(2 * Integer.BYTES);
    private final ByteBuffer[] both = {end, end};
    private volatile long writtenTo;

    OverwrittenChannel(FileChannel file, Runnable closed) {
        this.file = file;
        this.closed = closed;
    }

    /** Where the journal ends at present; what is behind it means nothing. Any thread. */
    long writtenTo() {
        return writtenTo;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        long at = file.position();
        int bytes = source.remaining();
        end.clear();
        both[0] = source;
        while (end.hasRemaining()) {
            file.write(both);
        }
        file.position(at + bytes);
        writtenTo = at + bytes;
        return bytes;
    }

    /** BookKeeper's way to preallocate: zeros ahead of the journal, which a file that is that long needs no more. */
    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        int bytes = source.remaining();
        if (position + bytes <= file.size()) {
            source.position(source.limit());
            return bytes;
        }
        return file.write(source, position);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        long written = 0;
        for (int i = offset; i < offset + length; i++) {
            written += write(sources[i]);
        }
        return written;
    }

    @Override
    public void force(boolean metadata) throws IOException {
        file.force(metadata);
    }

    @Override
    public long position() throws IOException {
        return file.position();
    }

    @Override
    public FileChannel position(long position) throws IOException {
        file.position(position);
        return this;
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return file.read(into);
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        return file.read(into, offset, length);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        return file.read(into, position);
    }

    @Override
    public FileChannel truncate(long size) {
        throw new UnsupportedOperationException("a journal is not cut while it is written");
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        return file.transferTo(position, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw new UnsupportedOperationException("a journal is written from buffers");
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
        return file.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
        return file.lock(position, size, shared);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        return file.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        file.close();
        closed.run();
    }
}
