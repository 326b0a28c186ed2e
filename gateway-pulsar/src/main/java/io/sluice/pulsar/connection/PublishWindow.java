package io.sluice.pulsar.connection;

/**
 * How far a client that also reads may publish ahead of its own answers. A client that publishes as fast as it can is late to read
 * what it is sent, and late to give its consumers new permits.
 *
 * <pre>
 *   sends let through ── ping ── sends let through ── ping ── held ...      a client answers a ping when it has read what lies before it
 *                                    ◄─ pong: goes on
 * </pre>
 *
 * <p>The least is {@link #LEAST}. A client whose fastest answer takes longer than {@link #NEAR_NANOS} is that much further away,
 * and has as much more.
 *
 * <p>Event loop only. Positions are bytes of sends let through since the connection began.
 */
final class PublishWindow {
    static final long LEAST = 1 << 20;
    static final long MOST = 16 << 20;
    static final long NEAR_NANOS = 5_000_000;

    private static final int PINGS_PER_WINDOW = 4;

    private long passed;
    private long pinged;
    private long heard;
    private long window = LEAST;

    /** Whether the next send may go on; there is room until the window is exceeded, so that one of any size has its turn. */
    boolean hasRoom() {
        return passed - heard < window;
    }

    /** A send goes on. True if a ping is to follow it. */
    boolean pass(int bytes) {
        passed += bytes;
        return passed - pinged >= window / PINGS_PER_WINDOW;
    }

    /** A ping is sent. Returns the position that its answer confirms. */
    long ping() {
        pinged = passed;
        return passed;
    }

    /**
     * A ping was answered.
     *
     * @param position what {@link #ping} returned for it
     * @param fastestNanos least time that an answer took lately
     */
    void ponged(long position, long fastestNanos) {
        heard = Math.max(heard, position);
        long steps = Math.min(fastestNanos / NEAR_NANOS, MOST / LEAST);
        window = LEAST * Math.max(1, steps);
    }
}
