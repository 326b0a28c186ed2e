package io.sluice.store.container;

import io.sluice.store.pressure.Pressure;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayDeque;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * Appends that wait for their turn, first come first served. They pass at once while nothing is full; under pressure in
 * bursts with a pause between them; not at all while the store is full, and no longer than the deadline.
 *
 * <p>{@link #offer} may be called on any thread, the rest on the loop. Times in microseconds.
 */
final class AppendQueue {
    private final MpscUnboundedArrayQueue<LoopTask> arrivals = new MpscUnboundedArrayQueue<>(256);
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final long deadline;
    private final long burstBytes;
    private long burstLeft;
    private long burstEndedAt;
    private long refused;

    private record Waiting(LoopTask task, long until) {}

    /** The store as the queue sees it. */
    interface Store {
        /** Pause between bursts, or {@link Pressure#CLOSED}. Asked before each append. */
        long delayMicros();

        /** Bytes appended since the container began. */
        long appendedBytes();

        void run(LoopTask append);
    }

    /**
     * @param deadline longest wait
     * @param burstBytes what may pass between two pauses
     */
    AppendQueue(long deadline, long burstBytes) {
        this.deadline = deadline;
        this.burstBytes = burstBytes;
        this.burstLeft = burstBytes;
    }

    void offer(LoopTask append) {
        arrivals.offer(append);
    }

    boolean isEmpty() {
        return waiting.isEmpty() && arrivals.isEmpty();
    }

    /** Nothing has come in since the last {@link #pass}. */
    boolean noArrivals() {
        return arrivals.isEmpty();
    }

    /** Lets pass what may; says how many passed or were refused. */
    int pass(long now, Store store) {
        int done = 0;
        while (mayPass(now, store.delayMicros())) {
            Waiting first = waiting.poll();
            LoopTask append = first != null ? first.task : arrivals.poll();
            if (append == null) {
                return done;
            }
            long before = store.appendedBytes();
            store.run(append);
            burstLeft -= store.appendedBytes() - before;
            burstEndedAt = now;
            done++;
        }
        for (LoopTask late = arrivals.poll(); late != null; late = arrivals.poll()) {
            waiting.add(new Waiting(late, now + deadline));
        }
        return done + refuseLate(now);
    }

    private boolean mayPass(long now, long delay) {
        if (delay == Pressure.CLOSED) {
            return false;
        }
        if (burstLeft <= 0 && now - burstEndedAt >= delay) {
            burstLeft = burstBytes;
        }
        return burstLeft > 0;
    }

    /** Appends that waited until the deadline, so far. */
    long refused() {
        return refused;
    }

    private int refuseLate(long now) {
        int late = 0;
        for (Waiting first = waiting.peek(); first != null && first.until <= now; first = waiting.peek()) {
            waiting.remove();
            first.task.abandoned(new StoreFailure.Overloaded(
                    "the store has been full for " + deadline / 1000 + " ms: long-term storage is behind"));
            late++;
        }
        refused += late;
        return late;
    }

    /** When {@link #pass} should be called again though nothing else happens. */
    long nextAt(long now, long delay) {
        Waiting first = waiting.peek();
        if (first == null) {
            return Long.MAX_VALUE;
        }
        return delay == Pressure.CLOSED ? first.until : Math.min(first.until, Math.max(now, burstEndedAt + delay));
    }

    void abandon(StoreFailure why) {
        for (Waiting first = waiting.poll(); first != null; first = waiting.poll()) {
            first.task.abandoned(why);
        }
        for (LoopTask next = arrivals.poll(); next != null; next = arrivals.poll()) {
            next.abandoned(why);
        }
    }
}
