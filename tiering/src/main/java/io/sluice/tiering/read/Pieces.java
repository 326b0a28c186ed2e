package io.sluice.tiering.read;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/** The pieces that are queued, under way, or kept for sequential readers. */
final class Pieces {
    private ReadPolicy policy;
    /** A few dozen each at most, so they are searched from end to end. */
    private final Map<Long, List<Piece>> bySegment = new HashMap<>();

    /** Kept, but not expected to be wanted again soon, longest ago first. They make room when there is none. */
    private final SequencedSet<Piece> usedUp = new LinkedHashSet<>();

    private long keptBytes;

    Pieces(ReadPolicy policy) {
        this.policy = policy;
    }

    /** With fewer bytes to keep, pieces that are used up go now, the others as they are used up. */
    void resize(ReadPolicy changed) {
        policy = changed;
        while (keptBytes > policy.aheadBytes() && !usedUp.isEmpty()) {
            drop(usedUp.removeFirst());
        }
    }

    @Nullable
    Piece find(long segment, long position) {
        for (Piece piece : of(segment)) {
            if (piece.holds(position)) {
                return piece;
            }
        }
        return null;
    }

    /** Start of the first piece of the segment after {@code position}, or {@code end} if that comes first. */
    long nextStart(long segment, long position, long end) {
        long next = end;
        for (Piece piece : of(segment)) {
            if (piece.span.from() > position) {
                next = Math.min(next, piece.span.from());
            }
        }
        return next;
    }

    void add(Piece piece) {
        bySegment.computeIfAbsent(piece.segment(), _ -> new ArrayList<>()).add(piece);
    }

    private List<Piece> of(long segment) {
        return bySegment.getOrDefault(segment, List.of());
    }

    /** Keeps the piece for those who will come to it, if the budget allows. */
    boolean keep(Piece piece) {
        int bytes = piece.span.storedLength();
        if (!piece.kept) {
            while (keptBytes + bytes > policy.aheadBytes() && !usedUp.isEmpty()) {
                drop(usedUp.removeFirst());
            }
            piece.kept = keptBytes + bytes <= policy.aheadBytes();
            keptBytes += piece.kept ? bytes : 0;
        }
        return piece.kept;
    }

    /** Marks the piece as used. */
    void using(Piece piece) {
        usedUp.remove(piece);
    }

    /** A reader has taken what it wanted. It may drop the end of its answer and ask again for that. */
    void usedUp(Piece piece) {
        if (piece.kept && unused(piece)) {
            usedUp.addLast(piece);
        }
    }

    void drop(Piece piece) {
        @Nullable List<Piece> there = bySegment.get(piece.segment());
        if (there != null && there.remove(piece)) {
            if (there.isEmpty()) {
                bySegment.remove(piece.segment());
            }
            usedUp.remove(piece);
            if (piece.kept) {
                keptBytes -= piece.span.storedLength();
                piece.kept = false;
            }
            piece.drop();
        }
    }

    /** A sequential reader has come to {@code position}: what it just left behind goes. */
    void dropBehind(long segment, long position) {
        long near = position - 2L * policy.aheadPieceBytes();
        for (Piece piece : List.copyOf(of(segment))) {
            if (piece.span.to() <= position && piece.span.from() >= near && unused(piece)) {
                drop(piece);
            }
        }
    }

    /** Returns how many were dropped. */
    int dropIdle(long now) {
        int dropped = 0;
        for (Piece piece : all()) {
            if (piece.lastUse + policy.idleMillis() <= now && unused(piece)) {
                drop(piece);
                dropped++;
            }
        }
        return dropped;
    }

    /** Pieces that are not there though they were asked for before {@code time}. */
    List<Piece> askedBefore(long time) {
        return all().stream()
                .filter(piece -> piece.state != Piece.State.READY && piece.asked < time)
                .toList();
    }

    private List<Piece> all() {
        return bySegment.values().stream().flatMap(List::stream).toList();
    }

    private static boolean unused(Piece piece) {
        return piece.state == Piece.State.READY && !piece.awaited();
    }

    /** Releases everything. */
    void clear() {
        all().forEach(Piece::drop);
        bySegment.clear();
        usedUp.clear();
        keptBytes = 0;
    }
}
