package io.sluice.store.container;

import io.sluice.store.pressure.Pressure;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayDeque;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Appends in the order of their arrival, behind a token bucket: under pressure each appended byte costs the pressure's delay, and the next
 * append waits until that is paid. Without pressure all pass at once; while the store is full none do. An append waits until the deadline
 * at most, unless it is {@link LoopTask#patient}. What is owed is reckoned with the present delay: without pressure it is nothing.
 *
 * <p>{@link #offer} may be called on any thread, the rest on the loop. Times in microseconds.
 */
final class AppendQueue {
    private static final double MIB = 1 << 20;
    /** As many appends pass together as this time pays for. */
    private static final long TOGETHER_MICROS = 1_000;

    private final MpscUnboundedArrayQueue<LoopTask> arrivals = new MpscUnboundedArrayQueue<>(256);
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** Waiting appends with a deadline, the earliest first; those that have passed stay until then. */
    private final ArrayDeque<Waiting> impatient = new ArrayDeque<>();

    private final long deadline;
    private double owedBytes;
    private long owedAt;
    private long refused;
    /** Refused ones that are still behind a patient one. */
    private int refusedWaiting;

    private static final class Waiting {
        final long until;
        /** Null once it has passed or was refused. */
        @Nullable
        LoopTask task;

        Waiting(LoopTask task, long until) {
            this.task = task;
            this.until = until;
        }

        @Nullable
        LoopTask take() {
            LoopTask taken = task;
            task = null;
            return taken;
        }
    }

    /** The store as the queue sees it. */
    interface Store {
        /** Wait per MiB, or {@link Pressure#CLOSED}. Asked before each append. */
        long delayMicros();

        /** Bytes appended since the container began. */
        long appendedBytes();

        void run(LoopTask append);
    }

    /** @param deadline longest wait */
    AppendQueue(long deadline) {
        this.deadline = deadline;
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
        double most = 0;
        for (long delay = store.delayMicros(); delay != Pressure.CLOSED; delay = store.delayMicros()) {
            most = done == 0 ? pay(now, delay) : most;
            if (owedBytes > most) {
                break;
            }
            LoopTask append = next();
            if (append == null) {
                return done;
            }
            long before = store.appendedBytes();
            store.run(append);
            owedBytes += delay == 0 ? 0 : store.appendedBytes() - before;
            done++;
        }
        for (LoopTask late = arrivals.poll(); late != null; late = arrivals.poll()) {
            enqueue(late, now);
        }
        return done + refuseLate(now);
    }

    private @Nullable LoopTask next() {
        for (Waiting first = waiting.poll(); first != null; first = waiting.poll()) {
            LoopTask task = first.take();
            if (task != null) {
                return task;
            }
            refusedWaiting--;
        }
        impatient.clear();
        return arrivals.poll();
    }

    private void enqueue(LoopTask append, long now) {
        boolean patient = append.patient();
        Waiting last = new Waiting(append, patient ? Long.MAX_VALUE : now + deadline);
        waiting.add(last);
        if (!patient) {
            impatient.add(last);
        }
    }

    /** Time pays for what has passed. Returns the most that may be owed for the next to pass. */
    private double pay(long now, long delay) {
        if (delay == 0) {
            owedBytes = 0;
            return 0;
        }
        owedBytes = Math.max(0, owedBytes - (now - owedAt) * MIB / delay);
        owedAt = now;
        return owedBytes > 0 ? 0 : TOGETHER_MICROS * MIB / delay;
    }

    /** Appends that waited until the deadline, so far. */
    long refused() {
        return refused;
    }

    private int refuseLate(long now) {
        int late = 0;
        Waiting first = impatient.peek();
        while (first != null && (first.task == null || first.until <= now)) {
            impatient.remove();
            LoopTask task = first.take();
            if (task != null) {
                task.abandoned(new StoreFailure.Overloaded(
                        "the store has been full for " + deadline / 1000 + " ms: long-term storage is behind"));
                late++;
            }
            first = impatient.peek();
        }
        refusedWaiting += late;
        if (refusedWaiting > waiting.size() / 2) {
            waiting.removeIf(each -> each.task == null);
            refusedWaiting = 0;
        }
        refused += late;
        return late;
    }

    /** When {@link #pass} should be called again though nothing else happens. */
    long nextAt(long now, long delay) {
        if (waiting.isEmpty()) {
            return Long.MAX_VALUE;
        }
        Waiting late = impatient.peek();
        long until = late == null ? Long.MAX_VALUE : late.until;
        long paidAt = delay == Pressure.CLOSED ? Long.MAX_VALUE : owedAt + (long) Math.ceil(owedBytes * delay / MIB);
        return Math.min(until, Math.max(now, paidAt));
    }

    void abandon(StoreFailure why) {
        for (LoopTask next = next(); next != null; next = next()) {
            TermEnd.abandon(next, why);
        }
    }
}
