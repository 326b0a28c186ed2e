package io.sluice.tiering.flush;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses what to flush now. Pure.
 *
 * <pre>
 *   candidates: large ones by age,      objects, in the order in which they must be committed
 *   then round by segment
 *   ┌──────────────── segment 7 ┐  ─►   ┌ 7 ────────┐ ┌ 7 ────────┐
 *   ┌ 9 ┐ ┌ 12 ┐ ┌ 3 ┐             ─►   ┌ 7 │ 9 │ 12 │ 3 ┐
 * </pre>
 *
 * <p>What the total forces out goes round by segment, each flush where the last one ended: that is as fair as by age, and
 * every object then holds neighbouring segments, so that a merge reads long stretches of few objects. Objects forced
 * by the total are filled up: a request per object is what storage charges for.
 */
final class FlushPlan {
    /** However high the pressure, crumbs are not worth an object: younger than this they wait for company. */
    static final long LEAST_AGE_MILLIS = 1000;

    /** However high the pressure, the total that forces a flush stays above this. */
    static final long LEAST_TOTAL_BYTES = 1 << 20;

    /** A piece is cut to fill an object's last gap when that is at least this part of the object. */
    private static final int LEAST_CUT = 16;

    /** Bytes {@code [from, to)} of a segment. */
    record Piece(long segment, long from, long to) {
        long length() {
            return to - from;
        }
    }

    /** {@code swept}: where the next choice goes on, the segment after which it begins. */
    record Choice(List<Chosen> objects, long swept) {}

    /** Pieces of one object; several of one segment, over several objects, continue each other. */
    record Chosen(List<Piece> pieces) {}

    /** Untiered bytes not yet on their way. {@code since}: when the oldest became durable, milliseconds since the epoch. */
    record Candidate(long segment, long from, long to, long since) {
        long length() {
            return to - from;
        }
    }

    private final FlushPolicy policy;
    private final int room;
    private final List<Chosen> chosen = new ArrayList<>();
    private List<Piece> shared = new ArrayList<>();
    private long sharedBytes;
    private long swept;

    private FlushPlan(FlushPolicy policy, int room, long swept) {
        this.policy = policy;
        this.room = room;
        this.swept = swept;
    }

    /**
     * @param pressure 0 to 1 and above; tightens the limits of age and total in proportion
     * @param room objects that may be chosen at most
     * @param swept of the choice before
     */
    static Choice choose(
            FlushPolicy policy, List<Candidate> candidates, double pressure, int room, long now, long swept) {
        double ease = Math.clamp(1 - pressure, 0, 1);
        long dueSince = now - Math.max(LEAST_AGE_MILLIS, (long) (policy.ageMillis() * ease));
        long mostTotal =
                Math.max(Math.min(LEAST_TOTAL_BYTES, policy.totalBytes()), (long) (policy.totalBytes() * ease));
        long total = 0;
        boolean anything = false;
        for (Candidate candidate : candidates) {
            total += candidate.length();
            anything |= candidate.since() <= dueSince || candidate.length() >= policy.segmentBytes();
        }
        if (!anything && total < mostTotal) {
            return new Choice(List.of(), swept);
        }
        long excess = total < mostTotal ? 0 : total - mostTotal / 2;
        return new FlushPlan(policy, room, swept).fill(candidates, dueSince, excess);
    }

    private Choice fill(List<Candidate> candidates, long dueSince, long excess) {
        long left = excess;
        for (Candidate candidate : inTurn(candidates)) {
            boolean due = left > 0 || candidate.since() <= dueSince;
            boolean filling = excess > 0 && !shared.isEmpty();
            long taken = take(candidate, due, due || filling);
            swept = !large(candidate) && (left > 0 || (filling && taken > 0)) ? candidate.segment() : swept;
            left -= taken;
            if (slots() == 0 && shared.isEmpty()) {
                break;
            }
        }
        closeShared();
        return new Choice(chosen, swept);
    }

    /** Large ones have objects of their own, whatever their neighbours, and the oldest bytes are what holds the log. */
    private List<Candidate> inTurn(List<Candidate> candidates) {
        List<Candidate> turn = new ArrayList<>(candidates);
        long after = swept;
        turn.sort(Comparator.<Candidate, Boolean>comparing(candidate -> !large(candidate))
                .thenComparingLong(candidate -> large(candidate) ? candidate.since() : 0)
                .thenComparing(candidate -> candidate.segment() <= after)
                .thenComparingLong(Candidate::segment));
        return turn;
    }

    private boolean large(Candidate candidate) {
        return candidate.length() >= policy.segmentBytes();
    }

    /** Objects that can still be begun. */
    private int slots() {
        return room - chosen.size() - (shared.isEmpty() ? 0 : 1);
    }

    /**
     * Takes what fills objects of its own and, if {@code rest}, the rest as well. Returns the bytes taken.
     *
     * @param open the rest may begin another shared object
     */
    private long take(Candidate candidate, boolean open, boolean rest) {
        long at = candidate.from();
        while (candidate.to() - at >= policy.segmentBytes()) {
            if (slots() == 0) {
                return at - candidate.from();
            }
            long end = Math.min(candidate.to(), at + policy.objectBytes());
            chosen.add(new Chosen(List.of(new Piece(candidate.segment(), at, end))));
            at = end;
        }
        if (rest && at < candidate.to()) {
            at = share(candidate.segment(), at, candidate.to(), open);
        }
        return at - candidate.from();
    }

    /** Returns up to where it took the bytes. A piece is cut where an object is full, but not for a crumb. */
    private long share(long segment, long from, long to, boolean open) {
        long at = from;
        long space = policy.objectBytes() - sharedBytes;
        if (to - at > space) {
            if (space >= policy.objectBytes() / LEAST_CUT) {
                add(new Piece(segment, at, at + space));
                at += space;
            }
            closeShared();
            if (!open) {
                return at;
            }
        }
        if (!shared.isEmpty() || slots() > 0) {
            add(new Piece(segment, at, to));
            at = to;
        }
        return at;
    }

    private void add(Piece piece) {
        shared.add(piece);
        sharedBytes += piece.length();
    }

    private void closeShared() {
        if (!shared.isEmpty()) {
            chosen.add(new Chosen(shared));
            shared = new ArrayList<>();
            sharedBytes = 0;
        }
    }
}
