package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * Writes a journal over what a file held before, and through to the disk: what was written is durable when {@code write}
 * returns, unless it is nothing but entries of ledgers that defer that ({@link DeferredSync}). Behind each write comes a block of zeros, which ends the journal for its readers, until the next write replaces it.
 *
 * <p>BookKeeper fsyncs in another thread, which it can do without. When a file is full it fsyncs only the last of what it then
 * acknowledges together, and goes on acknowledging when the old file's fsync fails; neither matters to a file that is durable already.
 */
final class OverwrittenChannel extends FileChannel {
    private static final int BLOCK = JournalFormat.WRITE_ALIGNMENT;

    private final FileChannel file;
    private final RecordHeads heads;
    private final UnsyncedWrites unsynced;
    private final WrittenFile written;
    private final Runnable closed;
    private final ByteBuffer end = ByteBuffer.allocateDirect(2 * BLOCK)
            .alignedSlice(BLOCK)
            .limit(BLOCK)
            .slice();
    private final ByteBuffer[] both = {end, end};

    /**
     * @param file whose writes are durable when they return, and may have to be of whole blocks
     * @param unsynced the same file for writes that need not be; closed with this
     * @param written is told of what was written
     */
    OverwrittenChannel(
            FileChannel file, RecordHeads heads, UnsyncedWrites unsynced, WrittenFile written, Runnable closed) {
        this.file = file;
        this.heads = heads;
        this.unsynced = unsynced;
        this.written = written;
        this.closed = closed;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int bytes = source.remaining();
        if (written.end() == 0) {
            append(JournalFormat.headerBlock(source), file);
        } else if (heads.wait(source, written.end())) {
            appendDurably(source);
        } else {
            append(source, unsynced.channel());
            unsynced.written(written.end());
        }
        return bytes;
    }

    /** With all that was written before. */
    private void appendDurably(ByteBuffer blocks) throws IOException {
        if (unsynced.any()) {
            append(blocks, unsynced.channel());
            unsynced.written(written.end());
            unsynced.force();
        } else {
            append(blocks, file);
        }
    }

    private void append(ByteBuffer blocks, FileChannel into) throws IOException {
        long next = written.end() + blocks.remaining();
        end.clear();
        both[0] = blocks;
        into.position(written.end());
        while (end.hasRemaining()) {
            into.write(both);
        }
        written.written(next, heads.ended());
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

    /** Does nothing for the content, which is durable or deferred. */
    @Override
    public void force(boolean metadata) throws IOException {
        if (metadata) {
            file.force(true);
        }
    }

    @Override
    public long position() {
        return written.end();
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    protected void implCloseChannel() throws IOException {
        try {
            unsynced.close();
        } finally {
            file.close();
            closed.run();
        }
    }

    // ---- what a journal's writer has no use for ----

    private static UnsupportedOperationException onlyAppended() {
        return new UnsupportedOperationException(
                "a journal is appended to; it is read through channels of its readers");
    }

    @Override
    public FileChannel position(long position) {
        throw onlyAppended();
    }

    @Override
    public int read(ByteBuffer into) {
        throw onlyAppended();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
        throw onlyAppended();
    }

    @Override
    public int read(ByteBuffer into, long position) {
        throw onlyAppended();
    }

    @Override
    public FileChannel truncate(long size) {
        throw onlyAppended();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
        throw onlyAppended();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw onlyAppended();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
        throw onlyAppended();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw onlyAppended();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        throw onlyAppended();
    }
}
