package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * Writes of one journal file that are perhaps not on the disk yet. The journal's thread writes; any thread forces.
 *
 * <p>Writes go past the page cache all the same: only the order to the disk to keep them is missing. So there is never
 * much for a force to do, nor for a write that waits because of what was written before it.
 */
final class UnsyncedWrites implements AutoCloseable {
    /**
     * Bytes after which a write is forced in any case. With a write of 1 MiB at most on top this stays below what a start looks
     * through behind the end it finds, so that nothing a crash has left there is taken for an entry later.
     */
    static final long MOST = 2 << 20;

    private final Opener opener;
    private @Nullable FileChannel channel;
    private volatile long writtenTo;
    private volatile long forcedTo;
    private volatile @Nullable IOException broken;

    /** Opens the file for writes that do not wait for the disk. */
    interface Opener {
        FileChannel open() throws IOException;
    }

    UnsyncedWrites(Opener opener) {
        this.opener = opener;
    }

    /** Whether there are any. By the journal's thread. */
    boolean any() {
        return writtenTo > forcedTo;
    }

    /** For writes that do not wait. By the journal's thread. */
    FileChannel channel() throws IOException {
        if (channel == null) {
            channel = opener.open();
        }
        return channel;
    }

    /** Something was written through {@link #channel}, after which the file's content ends at {@code end}. */
    void written(long end) throws IOException {
        check();
        writtenTo = end;
        if (end - forcedTo > MOST) {
            force();
        }
    }

    /**
     * Syncs all earlier writes. After a failure the content of the disk is unknown, and every later call
     * fails, as does the journal's next write.
     */
    synchronized void force() throws IOException {
        check();
        long end = writtenTo;
        if (end > forcedTo) {
            try {
                channel().force(false);
            } catch (IOException e) {
                broken = e;
                throw e;
            }
            forcedTo = end;
        }
    }

    private void check() throws IOException {
        IOException why = broken;
        if (why != null) {
            throw new IOException("what was written cannot be put on the disk: " + why.getMessage(), why);
        }
    }

    /** A journal that is stopped is interrupted, which must not keep its last bytes from the disk. */
    @Override
    public synchronized void close() throws IOException {
        if (channel == null) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try (FileChannel closing = channel) {
            force();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
