package io.sluice.store.read;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Tells who reads on from where an answer ended. A reader may drop the end of an answer, when that is only a part of what
 * it can use, and ask for it again. Pure; remembers the 256 readers answered last.
 */
public final class SequentialReaders {
    private static final int REMEMBERED = 256;
    /** Who has not been answered among so many answers reads no more, or too slowly to be waited for. */
    private static final int RECENT = 256;

    private final ArrayDeque<Reader> readers = new ArrayDeque<>();
    private long answers;

    /** Somebody who reads a segment, as far as can be told from where answers end and reads begin. */
    public static final class Reader {
        private final long segment;
        private final long start;
        private long from;
        private long to;
        private long answer;

        private Reader(long segment, long start) {
            this.segment = segment;
            this.start = start;
        }

        /** Bytes from where it began to where its last answer ended. */
        public long run() {
            return to - start;
        }

        private boolean goesOnAt(long otherSegment, long position) {
            return segment == otherSegment && position > from && position <= to;
        }
    }

    /** Who goes on from an earlier answer with a read at {@code position}; null if that is nobody known. */
    public @Nullable Reader at(long segment, long position) {
        for (Iterator<Reader> newestFirst = readers.descendingIterator(); newestFirst.hasNext(); ) {
            Reader reader = newestFirst.next();
            if (reader.goesOnAt(segment, position)) {
                return reader;
            }
        }
        return null;
    }

    /** {@code reader}, or if that is null somebody new, has been answered with {@code [from, to)}. */
    public void answered(@Nullable Reader reader, long segment, long from, long to) {
        Reader known = reader == null ? new Reader(segment, from) : reader;
        if (!readers.remove(known) && readers.size() == REMEMBERED) {
            readers.removeFirst();
        }
        known.from = from;
        known.to = to;
        known.answer = ++answers;
        readers.addLast(known);
    }

    /** Whether somebody else reads the same segment. */
    public boolean hasCompany(Reader reader) {
        for (Reader each : readers) {
            if (each != reader && each.segment == reader.segment && answers - each.answer < RECENT) {
                return true;
            }
        }
        return false;
    }
}
