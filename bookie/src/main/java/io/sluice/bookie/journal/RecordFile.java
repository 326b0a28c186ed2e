package io.sluice.bookie.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * One file of records, read by their headers. The journal may be appending to it: what it says it has written is there, see
 * {@link OverwritingJournal#end}. So each record is told once.
 */
final class RecordFile implements AutoCloseable {
    /** Header of a record and the part behind it that a scan looks at. */
    private static final int HEADER = Integer.BYTES + JournalFormat.LAST_CONFIRMED_AT + Long.BYTES;

    /** Small records are read many at a time; of large ones little is read in vain. */
    private static final int WINDOW = 16 << 10;

    private final Path path;
    private final FileChannel channel;
    private final ByteBuffer window = ByteBuffer.allocate(WINDOW);
    private @Nullable FileChannel pastCache;
    private long windowAt;
    private long told;

    /** Told of each record. */
    interface Scanner {
        /**
         * @param at position of the record, behind its length
         * @param length of the record in bytes
         * @param lastConfirmed for entries; of records that are none, whatever is there
         */
        void record(RecordFile file, long ledger, long entry, long lastConfirmed, long at, int length)
                throws IOException;
    }

    private RecordFile(Path path, FileChannel channel, long begin) {
        this.path = path;
        this.channel = channel;
        this.told = begin;
    }

    static RecordFile ofJournal(Path path) throws IOException {
        return new RecordFile(path, FileChannel.open(path, StandardOpenOption.READ), JournalFormat.FILE_HEADER);
    }

    static RecordFile ofKept(Path path) throws IOException {
        return new RecordFile(path, FileChannel.open(path, StandardOpenOption.READ), 0);
    }

    Path path() {
        return path;
    }

    boolean isEmpty() throws IOException {
        return channel.size() == 0;
    }

    /** Tells of records that are known without reading them, but for those that were told; scans go on behind them. */
    void tell(FileRecords known, Scanner to) throws IOException {
        for (int i = 0; i < known.count(); i++) {
            if (known.at(i) >= told) {
                long at = known.at(i) + Integer.BYTES;
                int length = known.length(i);
                to.record(this, known.ledger(i), known.entry(i), known.lastConfirmed(i), at, length);
                told = at + length;
            }
        }
    }

    /** Tells of the records that have come since the last scan. */
    void scan(Scanner to) throws IOException {
        WrittenFile writing = OverwritingJournal.written(path);
        WrittenFile.Part written = writing == null ? null : writing.take();
        if (written != null) {
            scan(to, written.begin());
            tell(written.records(), to);
        }
        scan(to, OverwritingJournal.end(path, channel.size()));
    }

    private void scan(Scanner to, long size) throws IOException {
        long at = told;
        window.clear().limit(0);
        while (at + Integer.BYTES + JournalFormat.LEAST_RECORD <= size && fill(at, size)) {
            int from = (int) (at - windowAt);
            int length = window.getInt(from);
            boolean padding = length == JournalFormat.PADDING;
            long begin = at + (padding ? 2 * Integer.BYTES : Integer.BYTES);
            int bytes = padding ? window.getInt(from + Integer.BYTES) : length;
            if (bytes < (padding ? 0 : JournalFormat.LEAST_RECORD) || begin + bytes > size) {
                return;
            }
            if (!padding) {
                tell(to, from + Integer.BYTES, begin, bytes);
            }
            at = begin + bytes;
            told = at;
        }
    }

    private void tell(Scanner to, int from, long begin, int bytes) throws IOException {
        boolean brief = bytes < JournalFormat.LAST_CONFIRMED_AT + Long.BYTES;
        long confirmed = brief ? -1 : window.getLong(from + JournalFormat.LAST_CONFIRMED_AT);
        to.record(this, window.getLong(from), window.getLong(from + Long.BYTES), confirmed, begin, bytes);
    }

    /** Makes the header at this position readable in the window; false at the end of the file. */
    private boolean fill(long at, long size) throws IOException {
        long least = Math.min(HEADER, size - at);
        if (at >= windowAt && at + least <= windowAt + window.limit()) {
            return true;
        }
        window.clear();
        windowAt = at;
        readFully(window, at);
        boolean there = window.position() >= least;
        // of a last, short record more is looked at than the file has
        while (window.position() < HEADER) {
            window.put((byte) 0);
        }
        window.flip();
        return there;
    }

    /** @throws IOException the file ends before */
    void read(ByteBuffer into, long at) throws IOException {
        readFully(into, at);
        if (into.hasRemaining()) {
            throw new IOException(path + " ends before " + (at + into.position()));
        }
    }

    private void readFully(ByteBuffer into, long at) throws IOException {
        long from = at - into.position();
        while (into.hasRemaining()) {
            if (channel.read(into, from + into.position()) < 0) {
                return;
            }
        }
    }

    /**
     * Reads without filling the system's page cache.
     *
     * @return exactly these bytes; the caller releases it
     * @throws IOException the file ends before
     */
    ByteBuf readPastCache(long at, int length, ByteBufAllocator allocator) throws IOException {
        int block = JournalFormat.WRITE_ALIGNMENT;
        long from = at - at % block;
        int before = (int) (at - from);
        int blocks = Math.ceilDiv(before + length, block) * block;
        ByteBuf bytes = allocator.directBuffer(blocks + block);
        try {
            ByteBuffer all = bytes.nioBuffer(0, blocks + block);
            int begin = (block - all.alignmentOffset(0, block)) % block;
            if (PastPageCache.read(pastCache(), all.slice(begin, blocks), from) < before + length) {
                throw new IOException(path + " ends before " + (at + length));
            }
            return bytes.setIndex(begin + before, begin + before + length);
        } catch (IOException | RuntimeException e) {
            bytes.release();
            throw e;
        }
    }

    private synchronized FileChannel pastCache() throws IOException {
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
        // a thread that is interrupted while it reads closes the channel, for all
        if (pastCache == null || !pastCache.isOpen()) {
            pastCache = PastPageCache.open(path, JournalFormat.WRITE_ALIGNMENT, StandardOpenOption.READ);
        }
        return pastCache;
    }

    void copy(long at, int length, WritableByteChannel to) throws IOException {
        long left = length;
        while (left > 0) {
            long copied = channel.transferTo(at + length - left, left, to);
            if (copied <= 0) {
                throw new IOException(path + " ends before " + (at + length));
            }
            left -= copied;
        }
    }

    /** Syncs a file that was read: a killed process may have written it without fsync. */
    static void force(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.force(false);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        channel.close();
        if (pastCache != null) {
            pastCache.close();
        }
    }
}
