package io.sluice.store.sim;

import java.util.PriorityQueue;

/** Everything that is going to happen, by time and then by who came first; and the world's clock, in microseconds. */
final class EventQueue {
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now = 1_700_000_000_000_000L;
    private long added;
    private long trace = 1;

    private record Event(long at, long order, String name, Runnable run) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    long now() {
        return now;
    }

    void add(long delay, String name, Runnable run) {
        events.add(new Event(now + delay, added++, name, run));
    }

    /** Time passes in which nothing happens: what was due in it happens at its end. */
    void leap(long micros) {
        now += micros;
    }

    boolean step() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        now = Math.max(now, next.at);
        note(next.name, next.at);
        next.run.run();
        return true;
    }

    /** Goes into the {@link #trace}. */
    void note(String what, long number) {
        trace = (trace * 31 + what.hashCode()) * 31 + number;
    }

    /** A hash of everything that has happened: the same for the same history. */
    long trace() {
        return trace;
    }
}
