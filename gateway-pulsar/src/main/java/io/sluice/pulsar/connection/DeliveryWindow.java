package io.sluice.pulsar.connection;

import java.util.ArrayDeque;

/**
 * How many bytes of messages may be on their way to a client that publishes over the same connection: what it sends is
 * answered behind them. Its socket takes megabytes that it has not looked at yet, so what the socket has taken says little.
 *
 * <pre>
 *   written ── ping ── written ── ping ── ...            a client answers a ping when it has read what lies before it
 *           ◄─ pong: read so far, and how long that took
 * </pre>
 *
 * <p>The window grows as long as pings are answered within 5 ms of the fastest answer, or half of what that took if it is
 * more, and shrinks when they take longer: by an eighth of what was read; until it shrinks first, by as much as was read. What
 * is fastest is found out anew every minute, with little on its way.
 *
 * <p>A client that published more than a quarter of what it read in the last 250 ms is not held back: it is busy with both, and reading
 * would give way to publishing without end. Nor is one that leaves a ping unanswered for {@link #GIVE_UP_NANOS}, until it answers.
 *
 * <p>{@link #room} is for any thread, the rest for the event loop. Times in nanoseconds, of a clock that only rises.
 */
final class DeliveryWindow {
    static final long GIVE_UP_NANOS = 1_000_000_000L;

    static final int LEAST = 256 << 10;
    private static final int MOST = 64 << 20;
    private static final long UNLIMITED = Long.MAX_VALUE / 2;
    private static final long TARGET_NANOS = 5_000_000;
    private static final long PERIOD_NANOS = 60_000_000_000L;
    /** Part of the fastest answer by which that of a distant client may vary. */
    private static final int DISTANT = 2;

    private static final int STEP = 8;
    private static final int READ_PER_PUBLISHED = 4;
    private static final long WEIGH_NANOS = 250_000_000;

    private static final int PINGS_PER_WINDOW = 4;
    private static final int MOST_PER_PING = 1 << 20;

    private final ArrayDeque<Ping> unanswered = new ArrayDeque<>();
    private long pingedUpTo;
    private boolean begun;
    private long periodBegan;
    private long fastest = Long.MAX_VALUE;
    private long fastestBefore = Long.MAX_VALUE;
    private long answeredPublishes;
    private boolean hasExceeded;
    private long weighed;
    private long publishedLately;
    private long readLately;

    private volatile long written;
    private volatile long read;
    private volatile long window = LEAST;
    private volatile boolean limited;
    /** Much of what it did lately was publishing. */
    private volatile boolean publishes;
    /** Until the client has read as far, little may be on its way. */
    private volatile long emptyUntil;

    private volatile boolean givenUp;
    private volatile boolean wasFull;

    private static final class Ping {
        /** Bytes written before it. */
        final long upTo;

        final long at;

        /** What {@link PublishWindow} noted with it. */
        long publishes;

        /** Answers it will get: pings to a client that answers none are all noted in one. */
        int times = 1;

        Ping(long upTo, long at, long publishes) {
            this.upTo = upTo;
            this.at = at;
            this.publishes = publishes;
        }
    }

    /**
     * Bytes of messages that may be sent; none if it is not positive, and {@link Delivery} has nobody begin with less than
     * {@link Delivery#LEAST}. Any thread.
     *
     * @param queued bytes of messages that are not written yet
     */
    long room(long queued) {
        long room = limit() - (written + queued - read);
        if (room < Delivery.LEAST) {
            wasFull = true;
        }
        return room;
    }

    private long limit() {
        if (!limited || givenUp || publishes) {
            return UNLIMITED;
        }
        return read < emptyUntil ? LEAST : window;
    }

    /** Whether the client has a producer: without one messages keep nothing waiting, and are not counted. */
    void publisher(boolean is) {
        if (limited != is) {
            limited = is;
            read = written;
            pingedUpTo = written;
        }
    }

    /** Messages were written. True if a ping is to follow them. */
    boolean wrote(int bytes) {
        if (!limited) {
            return false;
        }
        long now = written + bytes;
        written = now;
        return !givenUp && now - pingedUpTo >= Math.min(limit() / PINGS_PER_WINDOW, MOST_PER_PING);
    }

    /** The client has published so many bytes. */
    void published(int bytes) {
        publishedLately += bytes;
    }

    /**
     * A ping was written, for whatever reason.
     *
     * @param publishes see {@link PublishWindow#ping}
     */
    void pinged(long now, long publishes) {
        Ping last = unanswered.peekLast();
        if (givenUp && last != null) {
            last.times++;
            last.publishes = publishes;
        } else {
            pingedUpTo = written;
            unanswered.add(new Ping(written, now, publishes));
        }
    }

    /** A ping was answered. True if another is to be sent now: there is too little room, and no other answer will say when there is. */
    boolean ponged(long now) {
        Ping answered = unanswered.peek();
        if (answered == null || --answered.times > 0) {
            return false;
        }
        unanswered.remove();
        answeredPublishes = answered.publishes;
        givenUp = false;
        learn(answered, now);
        return unanswered.isEmpty() && written - read > limit() - Delivery.LEAST;
    }

    /** Of the last ping that was answered. */
    long answeredPublishes() {
        return answeredPublishes;
    }

    /** Nanoseconds that the fastest answer of the last one or two minutes took. */
    long fastest() {
        return Math.min(fastest, fastestBefore);
    }

    private void learn(Ping answered, long now) {
        long took = now - answered.at;
        begin(now);
        fastest = Math.min(fastest, took);
        long bytes = answered.upTo - read;
        if (bytes <= 0) {
            return;
        }
        read = answered.upTo;
        long least = fastest();
        boolean slow = took - least > Math.max(TARGET_NANOS, least / DISTANT);
        resize(bytes, slow);
        weigh(bytes, now);
    }

    private void weigh(long bytes, long now) {
        readLately += bytes;
        if (now - weighed > WEIGH_NANOS) {
            publishes = publishedLately * READ_PER_PUBLISHED > readLately;
            publishedLately = 0;
            readLately = 0;
            weighed = now;
        }
    }

    private void resize(long bytes, boolean slow) {
        long size = window;
        if (slow) {
            hasExceeded = true;
            size -= bytes / STEP;
        } else if (wasFull) {
            size += hasExceeded ? bytes / STEP : bytes;
        }
        wasFull = false;
        window = Math.clamp(size, LEAST, MOST);
    }

    private void begin(long now) {
        if (!begun) {
            begun = true;
            periodBegan = now;
            weighed = now;
        } else if (now - periodBegan > PERIOD_NANOS) {
            periodBegan = now;
            fastestBefore = fastest;
            fastest = Long.MAX_VALUE;
            emptyUntil = written;
        }
    }

    boolean hasGivenUp() {
        return givenUp;
    }

    /** A ping waits for its answer. */
    boolean waits() {
        return !unanswered.isEmpty();
    }

    /** Lets everything pass if a ping has waited too long for its answer; true then. */
    boolean giveUp(long now) {
        Ping oldest = unanswered.peek();
        if (oldest != null && now - oldest.at >= GIVE_UP_NANOS) {
            givenUp = true;
        }
        return givenUp;
    }
}
