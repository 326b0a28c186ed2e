package io.sluice.kafka.connection;

import java.util.concurrent.TimeUnit;

/** Times of a connection's traffic, and which of its limits in time it has passed. All in nanoseconds of one clock; loop only. */
final class ConnectionTimes {
    /** A client has this long to show who it is. */
    private static final long LOGIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final ConnectionLimits limits;
    private final long openedAt;
    private long lastTraffic;
    private long lastUnread;
    private long lastUnreadChange;

    ConnectionTimes(ConnectionLimits limits, long now) {
        this.limits = limits;
        this.openedAt = now;
        this.lastTraffic = now;
        this.lastUnreadChange = now;
    }

    /** Bytes came, or were sent. */
    void traffic(long now) {
        lastTraffic = now;
    }

    /** Says how many bytes of answers the client has not taken yet. */
    void unread(long bytes, long now) {
        if (bytes == 0 || bytes != lastUnread) {
            lastUnread = bytes;
            lastUnreadChange = now;
        }
    }

    /** Bytes of answers of which the client has taken nothing for a while. */
    long stalledBytes(long now) {
        return now - lastUnreadChange > STALLED_NANOS ? lastUnread : 0;
    }

    /** Since when; the smaller the longer. */
    long stalledSince() {
        return lastUnreadChange;
    }

    boolean isLoginOver(long now) {
        return now - openedAt > LOGIN_NANOS;
    }

    /** For a connection in the middle of a request. */
    boolean isRequestStalled(long now) {
        return now - lastTraffic > limits.maxStall().toNanos();
    }

    boolean isUnread(long now) {
        return now - lastUnreadChange > limits.maxUnread().toNanos();
    }

    /** For a connection without requests. */
    boolean isIdle(long now) {
        return now - lastTraffic > limits.maxIdle().toNanos();
    }
}
