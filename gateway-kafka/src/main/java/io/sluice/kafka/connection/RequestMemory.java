package io.sluice.kafka.connection;

import java.util.ArrayDeque;

/**
 * The bytes that requests hold, all connections together, from their arrival to their answer. A socket is not read while
 * the pool is used up; connections go on in the order in which they had to stop.
 *
 * <p>Bytes of unfinished requests count too. So that these cannot block each other for ever, they go on, by turns, while
 * no whole request holds memory; what would take them past twice the limit is refused. Thread-safe.
 */
public final class RequestMemory {
    private final long limit;
    private long arriving;
    private long inFlight;
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();

    public RequestMemory(long limit) {
        this.limit = limit;
    }

    /** A connection that stopped reading. */
    interface Waiter {
        /** May read again; called outside the lock, on any thread. */
        void resume();
    }

    /** What a connection does next. */
    enum Verdict {
        READ_ON,
        /** Stop reading; {@link Waiter#resume} will be called, once. */
        WAIT,
        /** There is no hope: close. */
        REFUSE
    }

    /** Counts {@code bytes} that arrived. */
    Verdict arrived(long bytes, Waiter waiter) {
        synchronized (this) {
            arriving += bytes;
            if (arriving + inFlight <= limit) {
                return Verdict.READ_ON;
            }
            if (arriving > 2 * limit) {
                return Verdict.REFUSE;
            }
            waiting.add(waiter);
        }
        resumeSome();
        return Verdict.WAIT;
    }

    /** {@code bytes} that had arrived are a whole request now. */
    synchronized void started(long bytes) {
        arriving -= bytes;
        inFlight += bytes;
    }

    /** A request is answered. */
    void finished(long bytes) {
        synchronized (this) {
            inFlight -= bytes;
        }
        resumeSome();
    }

    /** The connection closed with {@code bytes} of an unfinished request. */
    void dropped(long bytes, Waiter waiter) {
        synchronized (this) {
            arriving -= bytes;
            waiting.remove(waiter);
        }
        resumeSome();
    }

    /** Bytes held now. */
    public synchronized long used() {
        return arriving + inFlight;
    }

    private void resumeSome() {
        while (true) {
            Waiter next;
            synchronized (this) {
                boolean room = arriving + inFlight <= limit || inFlight == 0;
                next = room ? waiting.poll() : null;
                if (next == null) {
                    return;
                }
            }
            next.resume();
            synchronized (this) {
                if (arriving + inFlight > limit) {
                    return; // one at a time while over the limit
                }
            }
        }
    }
}
