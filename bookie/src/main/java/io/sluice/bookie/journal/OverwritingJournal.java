package io.sluice.bookie.journal;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.File;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.bookkeeper.bookie.BookieFileChannel;
import org.apache.bookkeeper.bookie.FileChannelProvider;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Lets BookKeeper's journal write over spare files instead of growing new ones; {@code journalChannelProvider}. Goes with
 * {@link JournalLedgerStorage}, which says which files have become spare.
 *
 * <p>After a power loss a file may end in a mixture of new and old bytes. The start of the bookie cuts that off first,
 * by the checksums of the entries.
 *
 * <p>Needs {@code journalAlignmentSize} {@value JournalFormat#WRITE_ALIGNMENT}, a bookie whose allocator is {@link #buffers}, and {@code journalSyncData}
 * off: writes are durable when they return, but for those that {@link DeferredSync} lets wait.
 */
public final class OverwritingJournal implements FileChannelProvider {
    /** Files being written. BookKeeper makes the provider from its class's name, so there is no instance to ask. */
    private static final ConcurrentHashMap<Path, WrittenFile> WRITTEN = new ConcurrentHashMap<>();

    /** Allocator for a bookie with this journal: aligned, so that the disk takes writes of up to 1 MiB without a copy. */
    public static ByteBufAllocator buffers() {
        return new PooledByteBufAllocator(true, 0, 1, 8192, 7, 0, 0, false, JournalFormat.WRITE_ALIGNMENT);
    }

    /** Bytes of the file that mean something. */
    static long end(Path file, long size) {
        WrittenFile writing = written(file);
        return writing == null ? size : writing.end();
    }

    /** Null if the file is not being written. */
    static @Nullable WrittenFile written(Path file) {
        return WRITTEN.get(file.toAbsolutePath());
    }

    @Override
    public BookieFileChannel open(File file, ServerConfiguration configuration) {
        return new JournalFile(file);
    }

    @Override
    public void close(BookieFileChannel channel) throws IOException {
        channel.close();
    }

    @Override
    public void close() {}

    /** One file, to be written if it is new, else to be read. */
    private static final class JournalFile implements BookieFileChannel {
        private final File file;
        private boolean isNew;
        private @Nullable RandomAccessFile opened;
        private @Nullable FileChannel channel;

        JournalFile(File file) {
            this.file = file;
        }

        @Override
        public synchronized boolean fileExists(File asked) {
            isNew = !asked.exists();
            return !isNew;
        }

        @Override
        public synchronized FileChannel getFileChannel() throws IOException {
            if (channel == null) {
                channel = isNew ? overwrite(file.toPath().toAbsolutePath()) : read();
            }
            return channel;
        }

        private FileChannel read() throws IOException {
            opened = new RandomAccessFile(file, "rw");
            return opened.getChannel();
        }

        /** From the moment it has its name until it is closed, what the file held before is not taken for the journal. */
        private FileChannel overwrite(Path path) throws IOException {
            WrittenFile written = new WrittenFile();
            WRITTEN.put(path, written);
            DeferredSync deferred = DeferredSync.of(Objects.requireNonNull(path.getParent()));
            var unsynced = new UnsyncedWrites(
                    () -> PastPageCache.open(path, JournalFormat.WRITE_ALIGNMENT, StandardOpenOption.WRITE));
            deferred.next(unsynced);
            new SpareFiles(Objects.requireNonNull(path.getParent())).take(path);
            FileChannel blocks = PastPageCache.open(
                    path, JournalFormat.WRITE_ALIGNMENT, StandardOpenOption.WRITE, StandardOpenOption.DSYNC);
            return new OverwrittenChannel(
                    blocks, new RecordHeads(deferred), unsynced, written, () -> WRITTEN.remove(path));
        }

        @Override
        public synchronized FileDescriptor getFD() throws IOException {
            if (opened == null) {
                throw new IOException(file + " is not open, or not to be read");
            }
            return opened.getFD();
        }

        @Override
        public synchronized void close() throws IOException {
            if (channel != null) {
                channel.close();
            }
        }
    }
}
