package io.sluice.tiering.objectstore.filesystem;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.Semaphore;

/**
 * Moves what goes past the page cache a piece at a time, for a few files at a time.
 *
 * <p>The log is often on the same disk, and a disk serves in the order in which it was asked: behind sixteen reads of 1 MiB a
 * write of 16 KiB takes 31 ms, behind two of them 2, and the disk reads as much. Smaller pieces would make it
 * shorter yet, but cost processor time for each (ADR 0017).
 */
final class DiskTurns {
    /** A reader's 1 MiB goes at once, with the checksums in it and the blocks around it. */
    static final int PIECE_BYTES = 2 * DirectFiles.LARGEST_BLOCK;

    static final int AT_A_TIME = 2;

    private final Semaphore turns = new Semaphore(AT_A_TIME);
    /** One write at a time: no client waits for these writes, but the log shares the disk. */
    private final Semaphore writing = new Semaphore(1);

    interface Move {
        /** Moves what remains of {@code piece}, or a part; how much, below 0 when the file has ended. */
        int bytes(ByteBuffer piece, long position) throws IOException;
    }

    /**
     * Reads blocks until {@code least} bytes are in {@code into}: behind a last block that is not full there is none to read.
     *
     * @throws EOFException the file ends before
     */
    void read(FileChannel from, long position, ByteBuffer into, int least) throws IOException {
        move(from::read, position, into, least);
    }

    /** Writes all of {@code bytes}, while no other thread writes. */
    void write(FileChannel to, long position, ByteBuffer bytes) throws IOException {
        writing.acquireUninterruptibly();
        try {
            move(to::write, position, bytes, bytes.limit());
        } finally {
            writing.release();
        }
    }

    void move(Move move, long position, ByteBuffer buffer, int until) throws IOException {
        int end = buffer.limit();
        long offset = position - buffer.position();
        while (buffer.position() < until) {
            buffer.limit(Math.min(end, buffer.position() + PIECE_BYTES));
            turns.acquireUninterruptibly();
            try {
                if (move.bytes(buffer, offset + buffer.position()) < 0) {
                    throw new EOFException("has become shorter than " + (offset + until) + " meanwhile");
                }
            } finally {
                turns.release();
                buffer.limit(end);
            }
        }
    }
}
