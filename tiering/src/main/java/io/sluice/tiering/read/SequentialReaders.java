package io.sluice.tiering.read;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Tells who reads on from where an answer ended. A reader may drop the end of an answer, when that is only a part of what
 * it can use, and ask for it again. Pure; remembers the 16,384 readers answered last.
 */
final class SequentialReaders {
    private static final int REMEMBERED = 16_384;
    /** A reader without an answer among this many has stopped, or is too slow to be waited for... */
    private static final int LEAST_RECENT = 256;
    /** ...unless all have to wait that long for their turn. */
    private static final int TURNS = 4;

    /** In order of their last answers, the latest at the end. */
    private final SequencedSet<Reader> remembered = new LinkedHashSet<>();

    private final SequencedSet<Reader> active = new LinkedHashSet<>();
    private final Map<Long, List<Reader>> bySegment = new HashMap<>();
    private long answers;
    private long answeredBytes;

    /** A sequential reader of a segment, recognised by reads that begin where its last answer ended. */
    static final class Reader {
        private final long segment;
        private final long start;
        private long from;
        private long to;
        private long answer;
        private long answeredBytes;

        private Reader(long segment, long start) {
            this.segment = segment;
            this.start = start;
        }

        /** Bytes from where it began to where its last answer ended. */
        long run() {
            return to - start;
        }

        private boolean goesOnAt(long position) {
            return position > from && position <= to;
        }
    }

    /** Returns the reader whose earlier answer ended at {@code position}; null if there is none. */
    @Nullable
    Reader at(long segment, long position) {
        for (Reader reader : of(segment).reversed()) {
            if (reader.goesOnAt(position)) {
                return reader;
            }
        }
        return null;
    }

    /** {@code reader}, or if that is null a new reader, has been answered with {@code [from, to)}. */
    void answered(@Nullable Reader reader, long segment, long from, long to) {
        Reader known = reader == null ? beginner(segment, from) : reader;
        forget(known);
        known.from = from;
        known.to = to;
        answeredBytes += to - from;
        known.answeredBytes = answeredBytes;
        known.answer = ++answers;
        remembered.addLast(known);
        active.addLast(known);
        bySegment.computeIfAbsent(segment, _ -> new ArrayList<>(1)).addLast(known);
        if (remembered.size() > REMEMBERED) {
            forget(remembered.getFirst());
        }
        while (answers - active.getFirst().answer >= Math.max(LEAST_RECENT, TURNS * active.size())) {
            active.removeFirst();
        }
    }

    /** Returns the reader that received this range before and did not continue, else a new one. */
    private Reader beginner(long segment, long from) {
        for (Reader reader : of(segment)) {
            if (reader.start == from && reader.from == from) {
                return reader;
            }
        }
        return new Reader(segment, from);
    }

    private void forget(Reader reader) {
        if (remembered.remove(reader)) {
            active.remove(reader);
            List<Reader> there = of(reader.segment);
            there.remove(reader);
            if (there.isEmpty()) {
                bySegment.remove(reader.segment);
            }
        }
    }

    private List<Reader> of(long segment) {
        return bySegment.getOrDefault(segment, List.of());
    }

    /** Whether another reader has the same segment. */
    boolean hasCompany(Reader reader) {
        for (Reader each : of(reader.segment)) {
            if (each != reader && active.contains(each)) {
                return true;
            }
        }
        return false;
    }

    /** Bytes that others have been answered since {@code reader} was. */
    long answeredSince(Reader reader) {
        return answeredBytes - reader.answeredBytes;
    }

    /** How many have been answered lately. */
    int active() {
        return active.size();
    }
}
