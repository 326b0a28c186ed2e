package io.sluice.store.container;

import io.sluice.store.state.BrokenInvariant;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Which ledgers are still needed, and how long the log is. Pure.
 *
 * <p>A ledger may go when none of its bytes is only in the log, and a later ledger begins with a durable checkpoint.
 */
final class LogSpace {
    private final ArrayDeque<Ledger> ledgers = new ArrayDeque<>();
    private long bytes;
    private long frames;
    private long untieredBytes;

    /** A ledger of the chain. */
    static final class Ledger {
        final long number;
        long bytes;
        long frames;
        long untieredBytes;
        boolean checkpointDurable;

        Ledger(long number) {
            this.number = number;
        }
    }

    /** In which ledgers a segment's bytes lie that may not be in the tier: span i is [from[i], from[i + 1]). */
    static final class Spans {
        private Ledger[] ledgers = new Ledger[1];
        private long[] from = new long[1];
        private int count;
        private long end;
        private long releasedTo;
        private long replayedFrom;

        /** Positions below {@code position} were never in the ledgers that are left. */
        void beginAt(long position) {
            end = position;
            releasedTo = position;
            replayedFrom = position;
        }

        /** Bytes below were never in the ledgers of this log: they must be in the tier. */
        long replayedFrom() {
            return replayedFrom;
        }
    }

    Ledger add(long number) {
        Ledger ledger = new Ledger(number);
        ledgers.addLast(ledger);
        return ledger;
    }

    /** By one frame. */
    void grew(Ledger ledger, long frameBytes) {
        ledger.bytes += frameBytes;
        ledger.frames++;
        bytes += frameBytes;
        frames++;
    }

    /** The segment grew to {@code end}, in {@code ledger}. */
    void appended(Ledger ledger, Spans spans, long end) {
        if (spans.count == 0 || spans.ledgers[spans.count - 1] != ledger) {
            if (spans.count == spans.from.length) {
                spans.ledgers = Arrays.copyOf(spans.ledgers, spans.count * 2);
                spans.from = Arrays.copyOf(spans.from, spans.count * 2);
            }
            spans.ledgers[spans.count] = ledger;
            spans.from[spans.count++] = spans.end;
        }
        ledger.untieredBytes += end - spans.end;
        untieredBytes += end - spans.end;
        spans.end = end;
    }

    /** The segment grew to {@code end} by bytes that no ledger has. */
    void skipped(Spans spans, long end) {
        if (spans.count > 0) {
            throw new BrokenInvariant("a segment grows in the tier while ledgers have bytes of it");
        }
        spans.beginAt(end);
    }

    /** The segment's bytes below {@code upTo} are in the tier, or gone, durably. */
    void released(Spans spans, long upTo) {
        int gone = 0;
        for (int i = 0; i < spans.count; i++) {
            long spanEnd = i + 1 < spans.count ? spans.from[i + 1] : spans.end;
            long freed = Math.min(upTo, spanEnd) - Math.max(spans.releasedTo, spans.from[i]);
            if (freed > 0) {
                free(spans.ledgers[i], freed);
            }
            if (spanEnd <= upTo) {
                gone = i + 1;
            }
        }
        System.arraycopy(spans.ledgers, gone, spans.ledgers, 0, spans.count - gone);
        System.arraycopy(spans.from, gone, spans.from, 0, spans.count - gone);
        spans.count -= gone;
        spans.releasedTo = Math.max(spans.releasedTo, upTo);
    }

    private void free(Ledger ledger, long freed) {
        ledger.untieredBytes -= freed;
        untieredBytes -= freed;
        if (ledger.untieredBytes < 0) {
            throw new BrokenInvariant("ledger " + ledger.number + " holds " + ledger.untieredBytes + " untiered bytes");
        }
    }

    /** The first ledger that must stay, or -1 if no ledger can go. */
    long firstNeeded() {
        long newestCheckpoint = -1;
        for (Ledger ledger : ledgers) {
            newestCheckpoint = ledger.checkpointDurable ? ledger.number : newestCheckpoint;
        }
        for (Ledger ledger : ledgers) {
            if (ledger.untieredBytes > 0 || ledger.number == newestCheckpoint) {
                return ledger == ledgers.peekFirst() || newestCheckpoint < 0 ? -1 : ledger.number;
            }
        }
        return -1;
    }

    /** Ledgers before {@code firstRetained} are gone. */
    void truncated(long firstRetained) {
        for (Ledger head = ledgers.peekFirst();
                head != null && head.number < firstRetained;
                head = ledgers.peekFirst()) {
            bytes -= head.bytes;
            frames -= head.frames;
            ledgers.removeFirst();
        }
    }

    int ledgers() {
        return ledgers.size();
    }

    /** Bytes of all ledgers: what a recovery would read. */
    long bytes() {
        return bytes;
    }

    /** Frames of all ledgers: each costs a recovery time of its own, however small. */
    long frames() {
        return frames;
    }

    /** Bytes of segments that only the log and the cache hold, durable or not. */
    long untieredBytes() {
        return untieredBytes;
    }
}
