package io.sluice.tiering.objectstore.filesystem;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Deletes files from their end, piece by piece, and rests after each as long as it took, so that half of the disk's time stays
 * for others; shorter, the more files there are, so that what is deleted more slowly than it comes is deleted faster in the end.
 *
 * <p>A file system that discards what it frees (ext4 mounted with {@code discard}) is busy
 * with a file of 16 MiB for 20 ms, with a piece for 1 to 3, and meanwhile no fsync gets through, not even the log's.
 * Where freeing costs nothing the rest is as short.
 */
final class GradualDelete {
    private static final int PIECE_BYTES = 1 << 20;
    /** So many files are deleted without a rest. */
    private static final double HURRY = 1_000;

    private static final String UNIX = "unix";

    /** More at a time would leave less than half. */
    private final ReentrantLock turn = new ReentrantLock();

    private interface Step {
        void take() throws IOException;
    }

    /**
     * Only what this file alone holds is freed gradually: shrinking one with another name would shrink that, too.
     *
     * @param among so many are to be deleted
     */
    void delete(Path file, int among) throws IOException {
        double rest = Math.max(0, 1 - among / HURRY);
        try {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && names(file) == 1) {
                shrink(file, rest);
            }
        } catch (NoSuchFileException e) {
            // Another thread deletes it.
        }
        step(() -> Files.deleteIfExists(file), rest);
    }

    private static int names(Path file) throws IOException {
        boolean counted = file.getFileSystem().supportedFileAttributeViews().contains(UNIX);
        return counted ? (int) Files.getAttribute(file, UNIX + ":nlink", LinkOption.NOFOLLOW_LINKS) : 1;
    }

    private void shrink(Path file, double rest) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            for (long size = channel.size() - PIECE_BYTES; size > 0; size -= PIECE_BYTES) {
                long left = size;
                step(() -> channel.truncate(left), rest);
            }
        }
    }

    /** @param rest as a part of the time that the step takes */
    private void step(Step step, double rest) throws IOException {
        turn.lock();
        try {
            long start = System.nanoTime();
            step.take();
            TimeUnit.NANOSECONDS.sleep((long) (rest * (System.nanoTime() - start)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            turn.unlock();
        }
    }
}
