package io.sluice.kafka.share;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.ShareCursor;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer.Scheduled;
import io.sluice.store.segment.StoreFailure;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A share group in one partition, in one term of its container: who has what in hand, who reads, and who waits for records. One member reads at
 * a time, so that no two acquire the same. Loop only.
 */
final class SharePartition {
    /** Without anything to do for so long it is forgotten. */
    private static final long IDLE_MILLIS = 60_000;

    private final ShareKey key;
    private final PartitionLog log;
    private final Supplier<ShareLimits> limits;
    private final ShareCursor cursor;
    private final InFlightRecords records;
    /** Members that wait, first come first served; as many as there are sessions. */
    private final Map<String, Waiter> waiters = new LinkedHashMap<>(4);

    private boolean reading;
    private @Nullable StoreFailure ended;
    private PartitionLog.@Nullable Waiting tail;
    private @Nullable Scheduled timer;
    private long timerAt;
    private long lastUsed;

    /** A fetch that waits for records. */
    interface Waiter {
        /** Bytes that it wants to be there, about. */
        int minBytes();

        /** There are some. False if it waits no more. */
        boolean wake();
    }

    SharePartition(ShareKey key, PartitionLog log, ShareCursor cursor, Supplier<ShareLimits> limits) {
        this.key = key;
        this.log = log;
        this.cursor = cursor;
        this.limits = limits;
        this.records = new InFlightRecords(cursor);
        touch();
    }

    ShareKey key() {
        return key;
    }

    /** Any thread. */
    PartitionLog log() {
        return log;
    }

    boolean isOn(PartitionLog other) {
        return log.container() == other.container()
                && log.partitionId() == other.partitionId()
                && log.leaderEpoch() == other.leaderEpoch();
    }

    /** Limits of the group now. */
    ShareLimits limits() {
        return limits.get();
    }

    InFlightRecords records() {
        return records;
    }

    private void touch() {
        lastUsed = log.container().now();
    }

    /** Whether it may be forgotten. */
    boolean isIdle() {
        return !reading
                && waiters.isEmpty()
                && records.inHand() == 0
                && log.container().now() - lastUsed > IDLE_MILLIS;
    }

    // ---- reading

    /** Why its log is closed, if that is known; there is nothing to wait for then. */
    @Nullable
    StoreFailure ended() {
        return ended;
    }

    /**
     * Begins a read, which must end with {@link #endRead}.
     *
     * @param minBytes that must be there, about
     * @return offset to read from; -1 if there is nothing for anybody now, or another member reads: then no read has begun
     */
    long beginRead(int minBytes) {
        touch();
        long next = next();
        reading = next >= 0 && hasBytes(next, minBytes);
        return reading ? next : -1;
    }

    private boolean hasBytes(long from, int minBytes) {
        return minBytes <= 1 || log.bytesAfter(from) >= minBytes;
    }

    private long next() {
        if (reading || log.isGone()) {
            return -1;
        }
        ShareLimits now = limits();
        records.startsAt(log.startOffset());
        long next = records.next(now);
        return next < log.readableEnd(now.isolation()) ? next : -1;
    }

    void endRead() {
        reading = false;
        setTimer();
        wakeOne();
    }

    // ---- waiting

    void await(String member, Waiter waiter) {
        touch();
        waiters.put(member, waiter);
        watchTail();
        if (ended != null) {
            wakeAll();
        } else {
            wakeOne();
        }
    }

    void leave(String member, Waiter waiter) {
        waiters.remove(member, waiter);
        if (waiters.isEmpty()) {
            endTail();
        } else {
            wakeOne();
        }
    }

    /** Wakes the first one that has enough before it; when that has read, the next one is woken. */
    private void wakeOne() {
        long next = waiters.isEmpty() ? -1 : next();
        if (next < 0) {
            return;
        }
        Iterator<Waiter> each = waiters.values().iterator();
        while (each.hasNext()) {
            Waiter waiter = each.next();
            if (hasBytes(next, waiter.minBytes())) {
                each.remove();
                if (waiter.wake()) {
                    return;
                }
            }
        }
    }

    private void wakeAll() {
        List<Waiter> all = List.copyOf(waiters.values());
        waiters.clear();
        all.forEach(Waiter::wake);
    }

    private void watchTail() {
        if (tail != null || ended != null) {
            return;
        }
        var isolation = limits().isolation();
        tail = log.await(log.readableEnd(isolation), isolation, new PartitionLog.TailWaiter() {
            @Override
            public void moreToRead() {
                tail = null;
                wakeOne();
                if (!waiters.isEmpty()) {
                    watchTail();
                }
            }

            @Override
            public void closed(StoreFailure why) {
                ended = why;
                tail = null;
                wakeAll();
            }
        });
        if (ended != null) {
            tail = null; // it was closed before
        }
    }

    private void endTail() {
        PartitionLog.Waiting waiting = tail;
        tail = null;
        if (waiting != null) {
            waiting.cancel();
        }
    }

    // ---- acknowledging

    /** Why a member's acknowledgements are refused, all of them: the first that is wrong decides. NONE if they are not. */
    Errors whyNot(String member, List<AckBatch> batches) {
        touch();
        for (AckBatch batch : batches) {
            if (records.isBeyond(batch)) {
                return Errors.INVALID_REQUEST;
            }
            if (!records.has(member, batch)) {
                return Errors.INVALID_RECORD_STATE;
            }
        }
        return Errors.NONE;
    }

    /** Acknowledges what is not refused by {@link #whyNot}; {@code done} is told once. */
    void acknowledge(List<AckBatch> batches, Durable done) {
        Steps steps = new Steps(done);
        ShareLimits now = limits();
        batches.forEach(batch -> records.acknowledge(batch, log.container().now(), now, steps.next()));
        steps.begun();
        setTimer();
        wakeOne();
    }

    /** Gives back what a member has in hand. */
    void release(String member, Durable done) {
        touch();
        if (records.release(member, limits(), done)) {
            setTimer();
            wakeOne();
        }
    }

    /** Calls once when the first member's time ends. */
    private void setTimer() {
        long first = records.firstEnd();
        if (timer != null && (timerAt <= first || first == Long.MAX_VALUE)) {
            return; // looks again then
        }
        Scheduled before = timer;
        if (before != null) {
            before.cancel();
        }
        timer = null;
        if (first != Long.MAX_VALUE) {
            timerAt = first;
            timer = log.container().schedule(Math.max(1, first - log.container().now()), LoopTask.of(this::expire));
        }
    }

    private void expire() {
        timer = null;
        if (records.expire(log.container().now(), limits())) {
            wakeOne();
        }
        setTimer();
    }

    /** The group's cursor was set or deleted: nothing of this counts any more. */
    void end() {
        Scheduled set = timer;
        timer = null;
        if (set != null) {
            set.cancel();
        }
        endTail();
        wakeAll();
    }

    ShareCursor cursor() {
        return cursor;
    }
}
