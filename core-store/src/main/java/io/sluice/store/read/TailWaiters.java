package io.sluice.store.read;

import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * Who waits at the tail of one log. Loop only; bounded by what callers hold.
 *
 * <p>Waiters are kept in the order of their positions: growing costs what fires, cancelling is O(1), parking passes over
 * those who wait for higher positions (few: most wait for the next byte). Waiters may park, cancel and close from
 * within a call.
 */
public final class TailWaiters {
    private long length;
    private @Nullable Ticket first;
    private @Nullable Ticket last;
    private int size;
    private @Nullable StoreFailure closed;

    /** @param length readable length now */
    public TailWaiters(long length) {
        this.length = length;
    }

    /**
     * Parks until the length passes {@code position}: until the byte at {@code position} is readable. On a closed tail the
     * waiter is told so at once.
     *
     * @throws IllegalArgumentException if that byte is readable already: read it instead
     */
    public Ticket park(long position, TailWaiter waiter) {
        if (position < length) {
            throw new IllegalArgumentException("position " + position + " is below the length " + length);
        }
        Ticket ticket = new Ticket(position, waiter);
        if (closed == null) {
            link(ticket);
        } else {
            waiter.closed(closed);
        }
        return ticket;
    }

    /** The readable length is now {@code newLength}; fires those it has passed, lowest position first. */
    public void grown(long newLength) {
        length = Math.max(length, newLength);
        for (Ticket next = first; next != null && next.position < length; next = first) {
            unlink(next);
            next.waiter.grown();
        }
    }

    /** Fails everyone who waits, and whoever parks from now on. */
    public void close(StoreFailure why) {
        closed = why;
        for (Ticket next = first; next != null; next = first) {
            unlink(next);
            next.waiter.closed(why);
        }
    }

    /** How many wait. */
    public int size() {
        return size;
    }

    private void link(Ticket ticket) {
        Ticket before = last;
        while (before != null && before.position > ticket.position) {
            before = before.previous;
        }
        Ticket after = before == null ? first : before.next;
        ticket.previous = before;
        ticket.next = after;
        if (before == null) {
            first = ticket;
        } else {
            before.next = ticket;
        }
        if (after == null) {
            last = ticket;
        } else {
            after.previous = ticket;
        }
        ticket.parked = true;
        size++;
    }

    private void unlink(Ticket ticket) {
        if (ticket.previous == null) {
            first = ticket.next;
        } else {
            ticket.previous.next = ticket.next;
        }
        if (ticket.next == null) {
            last = ticket.previous;
        } else {
            ticket.next.previous = ticket.previous;
        }
        ticket.previous = null;
        ticket.next = null;
        ticket.parked = false;
        size--;
    }

    /** A place in the queue. */
    public final class Ticket {
        private final long position;
        private final TailWaiter waiter;
        private @Nullable Ticket previous;
        private @Nullable Ticket next;
        private boolean parked;

        private Ticket(long position, TailWaiter waiter) {
            this.position = position;
            this.waiter = waiter;
        }

        /** The waiter will not be called any more. False if it was already, or was cancelled before. */
        public boolean cancel() {
            if (!parked) {
                return false;
            }
            unlink(this);
            return true;
        }
    }
}
