package io.sluice.tiering.flush;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses what to flush now. Pure.
 *
 * <pre>
 *   candidates, oldest first            objects, in the order in which they must be committed
 *   ┌──────────────── segment 7 ┐  ─►   ┌ 7 ────────┐ ┌ 7 ────────┐
 *   ┌ 9 ┐ ┌ 12 ┐ ┌ 3 ┐             ─►   ┌ 7 │ 9 │ 12 │ 3 ┐
 * </pre>
 */
final class FlushPlan {
    /** However high the pressure, crumbs are not worth an object: younger than this they wait for company. */
    static final long LEAST_AGE_MILLIS = 1000;

    /** However high the pressure, the total that forces a flush stays above this. */
    static final long LEAST_TOTAL_BYTES = 1 << 20;

    /** Bytes {@code [from, to)} of a segment. */
    record Piece(long segment, long from, long to) {
        long length() {
            return to - from;
        }
    }

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

    private FlushPlan(FlushPolicy policy, int room) {
        this.policy = policy;
        this.room = room;
    }

    /**
     * @param pressure 0 to 1 and above; tightens the limits of age and total in proportion
     * @param room objects that may be chosen at most
     */
    static List<Chosen> choose(FlushPolicy policy, List<Candidate> candidates, double pressure, int room, long now) {
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
            return List.of();
        }
        long excess = total < mostTotal ? 0 : total - mostTotal / 2;
        return new FlushPlan(policy, room).fill(candidates, dueSince, excess);
    }

    private List<Chosen> fill(List<Candidate> candidates, long dueSince, long excess) {
        List<Candidate> oldestFirst = new ArrayList<>(candidates);
        oldestFirst.sort(Comparator.comparingLong(Candidate::since).thenComparingLong(Candidate::segment));
        long left = excess;
        for (Candidate candidate : oldestFirst) {
            boolean all = left > 0 || candidate.since() <= dueSince;
            left -= take(candidate, all);
            if (slots() == 0) {
                break;
            }
        }
        closeShared();
        return chosen;
    }

    /** Objects that can still be begun. */
    private int slots() {
        return room - chosen.size() - (shared.isEmpty() ? 0 : 1);
    }

    /** Takes what fills objects of its own and, if {@code all}, the rest as well. Returns the bytes taken. */
    private long take(Candidate candidate, boolean all) {
        long at = candidate.from();
        while (candidate.to() - at >= policy.segmentBytes()) {
            if (slots() == 0) {
                return at - candidate.from();
            }
            long end = Math.min(candidate.to(), at + policy.objectBytes());
            chosen.add(new Chosen(List.of(new Piece(candidate.segment(), at, end))));
            at = end;
        }
        if (all && at < candidate.to() && share(new Piece(candidate.segment(), at, candidate.to()))) {
            at = candidate.to();
        }
        return at - candidate.from();
    }

    private boolean share(Piece piece) {
        if (sharedBytes + piece.length() > policy.objectBytes()) {
            closeShared();
        }
        if (shared.isEmpty() && slots() == 0) {
            return false;
        }
        shared.add(piece);
        sharedBytes += piece.length();
        return true;
    }

    private void closeShared() {
        if (!shared.isEmpty()) {
            chosen.add(new Chosen(shared));
            shared = new ArrayList<>();
            sharedBytes = 0;
        }
    }
}
