package io.sluice.bookie.journal;

import java.io.IOException;
import java.util.ArrayDeque;
import org.apache.bookkeeper.bookie.CheckpointSource;
import org.apache.bookkeeper.bookie.CheckpointSource.Checkpoint;
import org.jspecify.annotations.Nullable;

/**
 * The journal in stretches, each between two of BookKeeper's checkpoints. A ledger is tied to the stretch in which it
 * began; a checkpoint is complete when no ledger is tied to a stretch before it, and then the files before it may go.
 *
 * <p>A checkpoint is where the journal has been fsynced to when it is taken. A ledger that begins later has all its
 * records behind it.
 */
final class RetainedJournal {
    private final long stretchBytes;
    private final ArrayDeque<Stretch> stretches = new ArrayDeque<>();
    private @Nullable CheckpointSource source;
    private volatile long current;
    private long bytes;
    private long currentBytes;
    private long written;
    private long marked;

    private static final class Stretch {
        final long number;
        final Checkpoint begin;
        long bytes;

        Stretch(long number, Checkpoint begin) {
            this.number = number;
            this.begin = begin;
        }
    }

    RetainedJournal(long stretchBytes) {
        this.stretchBytes = stretchBytes;
    }

    /** Everything found at the start belongs to stretch 0, whose begin is not known and not needed. */
    synchronized void startedWith(CheckpointSource checkpoints, long foundBytes) {
        source = checkpoints;
        bytes = foundBytes;
    }

    /** The stretch being written. */
    long current() {
        return current;
    }

    /** Bytes on their way into the journal. */
    synchronized void added(int length) {
        bytes += length;
        written += length;
        currentBytes += length;
        if (currentBytes >= stretchBytes) {
            next();
        }
    }

    /** Bytes since the start. */
    synchronized long written() {
        return written;
    }

    /** Begins a new stretch; says which. */
    synchronized long next() {
        if (source == null) {
            return current;
        }
        Stretch last = stretches.peekLast();
        if (last != null) {
            last.bytes = currentBytes;
        }
        currentBytes = 0;
        stretches.add(new Stretch(current + 1, source.newCheckpoint()));
        current = current + 1;
        return current;
    }

    /** Bytes that are kept, from the oldest stretch on. */
    synchronized long bytes() {
        return bytes;
    }

    /**
     * Lets go of what is before a stretch. One thread at a time.
     *
     * @param oldest stretch that is still needed
     * @param files told when BookKeeper's mark stands where the part begins that is needed
     */
    void release(long oldest, BeforeMark files) throws IOException {
        Stretch first = null;
        CheckpointSource checkpoints;
        long marking;
        synchronized (this) {
            checkpoints = source;
            marking = written;
            for (Stretch next = stretches.peek(); next != null && next.number <= oldest; next = stretches.peek()) {
                first = stretches.remove();
            }
            if (checkpoints == null || first == null && marking == marked) {
                return;
            }
            if (first != null) {
                bytes = first.bytes + currentBytes;
                for (Stretch kept : stretches) {
                    bytes += kept.bytes;
                }
            }
        }
        if (first != null) {
            checkpoints.checkpointComplete(first.begin, false);
            files.recycle();
        }
        // What is behind the mark is replayed by the next start, which has no use for it: this storage reads all there
        // is.
        checkpoints.checkpointComplete(checkpoints.newCheckpoint(), false);
        marked = marking;
    }

    /** Takes the files that end before the mark. */
    interface BeforeMark {
        void recycle() throws IOException;
    }
}
