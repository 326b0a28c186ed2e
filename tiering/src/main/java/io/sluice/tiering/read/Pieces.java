package io.sluice.tiering.read;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pieces that are queued, under way, or kept for sequential readers. A few dozen, so it is searched from end to end. */
final class Pieces {
    private final ReadPolicy policy;
    private final List<Piece> all = new ArrayList<>();
    /** Pieces kept, by segment. */
    private final Map<Long, Integer> kept = new HashMap<>();

    private long keptBytes;

    Pieces(ReadPolicy policy) {
        this.policy = policy;
    }

    @Nullable
    Piece find(long segment, long position) {
        for (Piece piece : all) {
            if (piece.holds(segment, position)) {
                return piece;
            }
        }
        return null;
    }

    /** Start of the first piece of the segment after {@code position}, or {@code end} if that comes first. */
    long nextStart(long segment, long position, long end) {
        long next = end;
        for (Piece piece : all) {
            if (piece.segment() == segment && piece.span.from() > position) {
                next = Math.min(next, piece.span.from());
            }
        }
        return next;
    }

    void add(Piece piece) {
        all.add(piece);
    }

    /** Keeps the piece for sequential readers if the budget allows. */
    boolean keep(Piece piece) {
        if (!piece.kept && keptBytes + piece.span.storedLength() <= policy.aheadBytes()) {
            piece.kept = true;
            kept.merge(piece.segment(), 1, Integer::sum);
            keptBytes += piece.span.storedLength();
        }
        return piece.kept;
    }

    /** Segments that are read in sequence; at least 1. */
    int readers() {
        return Math.max(1, kept.size());
    }

    void drop(Piece piece) {
        if (all.remove(piece)) {
            if (piece.kept) {
                kept.computeIfPresent(piece.segment(), (segment, count) -> count == 1 ? null : count - 1);
                keptBytes -= piece.span.storedLength();
            }
            piece.release();
        }
    }

    /** A sequential reader has come to {@code position}: what it just left behind goes. */
    void dropBehind(long segment, long position) {
        long near = position - 2L * policy.aheadPieceBytes();
        for (Piece piece : List.copyOf(all)) {
            if (piece.segment() == segment
                    && piece.span.to() <= position
                    && piece.span.from() >= near
                    && unused(piece)) {
                drop(piece);
            }
        }
    }

    /** Returns how many were dropped. */
    int dropIdle(long now) {
        int dropped = 0;
        for (Piece piece : List.copyOf(all)) {
            if (piece.lastUse + policy.idleMillis() <= now && unused(piece)) {
                drop(piece);
                dropped++;
            }
        }
        return dropped;
    }

    private static boolean unused(Piece piece) {
        return piece.state == Piece.State.READY && !piece.awaited();
    }

    /** Releases everything; returns who waited. */
    List<Request> clear() {
        List<Request> waiters = new ArrayList<>();
        for (Piece piece : all) {
            waiters.addAll(piece.takeWaiters());
            piece.release();
        }
        all.clear();
        kept.clear();
        keptBytes = 0;
        return waiters;
    }
}
