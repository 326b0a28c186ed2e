package io.sluice.perf.load;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Payload that a producer has sent and no answer has come for: at most so much, whatever its client would take. Clients count their
 * buffers differently, with and without headers, per producer and over all of them.
 */
final class UnansweredPayload {
    /** As much has to come back before a full producer goes on: it does not wake up for every record. */
    private static final int PARTS = 32;

    private static final long LOOK_NANOS = 1_000_000;

    private final long most;
    private final AtomicLong answered = new AtomicLong();
    /** Written by the producer's thread alone. */
    private long sent;

    private volatile long wanted = Long.MAX_VALUE;
    private volatile @Nullable Thread waiting;

    /** @param most bytes of payload; a larger record goes alone */
    UnansweredPayload(long most) {
        this.most = most;
    }

    /**
     * Waits until so much may be sent; called by one thread.
     *
     * @param cancelled ends the wait
     */
    void add(int bytes, BooleanSupplier cancelled) {
        if (sent > 0 && sent + bytes - answered.get() > most) {
            // never more than was sent, or it would wait for ever
            wanted = Math.min(sent, sent + bytes - most + most / PARTS);
            waiting = Thread.currentThread();
            while (answered.get() < wanted && !cancelled.getAsBoolean()) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            waiting = null;
            wanted = Long.MAX_VALUE;
        }
        sent += bytes;
    }

    /** On any thread: that much was acknowledged, or has failed. */
    void remove(int bytes) {
        if (answered.addAndGet(bytes) >= wanted) {
            LockSupport.unpark(waiting);
        }
    }
}
