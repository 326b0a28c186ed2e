package io.sluice.kafka.share;

import io.sluice.broker.subscription.ShareCursor;
import io.sluice.broker.subscription.ShareCursor.Delivered;
import io.sluice.store.segment.Durable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Records of one partition that a share group has been sent and is not done with. Decides only; time comes in.
 *
 * <pre>
 *  fresh ──acquire──► in hand of a member ──accept, reject, gap──► done: acknowledged in the cursor
 *                        ▲          │
 *                     acquire       │ release, time out, member left
 *                        │          ▼
 *                      given back: how often it was delivered is in the cursor, durably ──too often──► done
 * </pre>
 *
 * <p>Every offset from the cursor's first unacknowledged one on is fresh, in a run of this, or acknowledged. Runs do not overlap. Loop only.
 */
final class InFlightRecords {
    private final ShareCursor cursor;
    private final TreeMap<Long, Run> runs = new TreeMap<>();
    /** Last offset that anybody was sent, or that is passed over, in this term. */
    private long furthest = -1;

    /**
     * Records that were delivered equally often.
     *
     * @param member that has them in hand; null if they were given back
     * @param until end of that member's time
     */
    private record Run(
            long first, long last, int count, @Nullable String member, long until) {
        Run part(long from, long to) {
            return new Run(from, to, count, member, until);
        }

        boolean isContinuedBy(Run next) {
            return last + 1 == next.first
                    && count == next.count
                    && until == next.until
                    && Objects.equals(member, next.member);
        }
    }

    /** Range of offsets that a member now has in hand, and which delivery this is. */
    record Acquired(long first, long last, int count) {}

    /** Takes over what was given back in an earlier term. */
    InFlightRecords(ShareCursor cursor) {
        this.cursor = cursor;
        for (Delivered each : cursor.delivered()) {
            for (long at = cursor.nextUnacked(each.from()); at <= each.to(); ) {
                long end = unackedUpTo(at, each.to());
                runs.put(at, new Run(at, end, each.count(), null, 0));
                furthest = end;
                at = cursor.nextUnacked(end + 1);
            }
        }
    }

    /** End of the unacknowledged offsets that begin here; at most {@code last}. */
    private long unackedUpTo(long offset, long last) {
        long acked = cursor.nextAckedAbove(offset);
        return acked < 0 ? last : Math.min(last, acked - 1);
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }

    /** Offsets in hand of members. */
    long inHand() {
        long sum = 0;
        for (Run run : runs.values()) {
            sum += run.member == null ? 0 : run.last - run.first + 1;
        }
        return sum;
    }

    private @Nullable Run at(long offset) {
        Map.Entry<Long, Run> floor = runs.floorEntry(offset);
        return floor != null && floor.getValue().last >= offset ? floor.getValue() : null;
    }

    /** First offset that may be acquired; -1 if that would take the group further than {@code limits} say. */
    long next(ShareLimits limits) {
        long from = cursor.ackedBelow();
        for (long offset = cursor.nextUnacked(from); ; ) {
            Run run = at(offset);
            if (run == null) {
                return offset - from < limits.locks() ? offset : -1;
            }
            if (run.member == null) {
                return offset;
            }
            offset = cursor.nextUnacked(run.last + 1);
        }
    }

    /** Whether an offset is not further ahead than the group may have records in hand. */
    boolean isWithin(long offset, ShareLimits limits) {
        return offset - cursor.ackedBelow() < limits.locks() || at(offset) != null;
    }

    /**
     * Puts what is free of a range into a member's hand.
     *
     * @param most offsets
     * @param to what was acquired is added to it
     * @return number of offsets that were acquired
     */
    long acquire(long first, long last, String member, long until, long most, List<Acquired> to) {
        long taken = 0;
        for (long offset = cursor.nextUnacked(first); offset <= last && taken < most; ) {
            Run run = at(offset);
            long end = Math.min(
                    run == null ? freshUpTo(offset, last) : Math.min(run.last, last), offset + most - taken - 1);
            if (run == null || run.member == null) {
                Run got = new Run(offset, end, run == null ? 1 : run.count + 1, member, until);
                put(got);
                to.add(new Acquired(offset, end, got.count));
                taken += end - offset + 1;
                furthest = Math.max(furthest, end);
            }
            offset = cursor.nextUnacked(end + 1);
        }
        return taken;
    }

    private long freshUpTo(long offset, long last) {
        Long nextRun = runs.higherKey(offset);
        return unackedUpTo(offset, nextRun == null ? last : Math.min(last, nextRun - 1));
    }

    /** Puts a run in place of what is there: nothing, or within one run. */
    private void put(Run now) {
        cutOut(now.first, now.last);
        Map.Entry<Long, Run> before = runs.lowerEntry(now.first);
        if (before != null && before.getValue().isContinuedBy(now)) {
            Run joined = before.getValue();
            runs.put(joined.first, joined.part(joined.first, now.last));
        } else {
            runs.put(now.first, now);
        }
    }

    private void cutOut(long first, long last) {
        Run run = at(first);
        if (run != null) {
            runs.remove(run.first);
            if (run.first < first) {
                runs.put(run.first, run.part(run.first, first - 1));
            }
            if (run.last > last) {
                runs.put(last + 1, run.part(last + 1, run.last));
            }
        }
    }

    /** Nothing in the range is a record that the group is to be sent: what no member has in hand is done with. */
    void skip(long first, long last) {
        furthest = Math.max(furthest, last);
        for (long offset = cursor.nextUnacked(first); offset <= last; ) {
            Run run = at(offset);
            long end = run == null ? freshUpTo(offset, last) : Math.min(run.last, last);
            if (run == null || run.member == null) {
                cutOut(offset, end);
                cursor.ack(offset, end, Durable.IGNORED);
            }
            offset = cursor.nextUnacked(end + 1);
        }
    }

    /** Everything before it is gone from the log. */
    void startsAt(long offset) {
        if (offset > cursor.ackedBelow()) {
            cursor.ackUpTo(offset - 1, Durable.IGNORED);
            forgetBelow();
        }
    }

    private void forgetBelow() {
        while (!runs.isEmpty() && runs.firstKey() < cursor.ackedBelow()) {
            Run run = runs.pollFirstEntry().getValue();
            if (run.last >= cursor.ackedBelow()) {
                runs.put(cursor.ackedBelow(), run.part(cursor.ackedBelow(), run.last));
            }
        }
    }

    /** Whether a part of it was sent to nobody yet. */
    boolean isBeyond(AckBatch batch) {
        return batch.last() > furthest && batch.last() >= cursor.ackedBelow();
    }

    /** Whether the member has all of it in hand, but for what is done with because the log begins behind it. */
    boolean has(String member, AckBatch batch) {
        for (long offset = Math.max(batch.first(), cursor.ackedBelow()); offset <= batch.last(); ) {
            Run run = at(offset);
            if (run == null || !member.equals(run.member)) {
                return false;
            }
            offset = run.last + 1;
        }
        return true;
    }

    /**
     * Acknowledges records that the member {@link #has}.
     *
     * @param done told once, when all of it is durable or the first of it has failed; what failed is given back
     */
    void acknowledge(AckBatch batch, long now, ShareLimits limits, Durable done) {
        Steps steps = new Steps(done);
        List<Run> given = new ArrayList<>(0);
        for (AckBatch.Part part : batch.parts(cursor.ackedBelow())) {
            for (Run run : within(part.first(), part.last())) {
                if (part.type() == AckType.RENEW) {
                    put(new Run(run.first, run.last, run.count, run.member, now + limits.lockMillis()));
                } else if (part.type().ends()) {
                    end(run, steps);
                } else {
                    given.add(run);
                }
            }
        }
        giveBack(given, limits, steps);
        forgetBelow();
        steps.begun();
    }

    /** Runs that lie in the range, cut to it. */
    private List<Run> within(long first, long last) {
        List<Run> found = new ArrayList<>(1);
        for (long offset = first; offset <= last; ) {
            Run run = at(offset);
            if (run == null) {
                Long next = runs.higherKey(offset);
                if (next == null) {
                    break;
                }
                offset = next;
            } else {
                found.add(run.part(offset, Math.min(run.last, last)));
                offset = run.last + 1;
            }
        }
        return found;
    }

    private void end(Run run, Steps steps) {
        cutOut(run.first, run.last);
        Steps.Step step = steps.next();
        cursor.ack(run.first, run.last, step);
        if (step.hasFailed()) {
            runs.put(run.first, new Run(run.first, run.last, run.count, null, 0));
        }
    }

    private void giveBack(List<Run> given, ShareLimits limits, Steps steps) {
        List<Delivered> counts = new ArrayList<>(given.size());
        for (Run run : given) {
            if (run.count >= limits.deliveries()) {
                end(run, steps);
            } else {
                put(new Run(run.first, run.last, run.count, null, 0));
                counts.add(new Delivered(run.first, run.last, run.count));
            }
        }
        if (!counts.isEmpty()) {
            cursor.setDelivered(counts, steps.next());
        }
    }

    /** Gives back what a member has in hand. */
    boolean release(String member, ShareLimits limits, Durable done) {
        return giveBackIf(run -> member.equals(run.member), limits, done);
    }

    /** Gives back what members have had for too long; whether there was any. */
    boolean expire(long now, ShareLimits limits) {
        return giveBackIf(run -> run.member != null && run.until <= now, limits, Durable.IGNORED);
    }

    private boolean giveBackIf(Predicate<Run> which, ShareLimits limits, Durable done) {
        Steps steps = new Steps(done);
        List<Run> given = runs.values().stream().filter(which).toList();
        giveBack(given, limits, steps);
        forgetBelow();
        steps.begun();
        return !given.isEmpty();
    }

    /** When the first member's time ends; {@link Long#MAX_VALUE} if nothing is in hand. */
    long firstEnd() {
        long first = Long.MAX_VALUE;
        for (Run run : runs.values()) {
            first = run.member == null ? first : Math.min(first, run.until);
        }
        return first;
    }
}
