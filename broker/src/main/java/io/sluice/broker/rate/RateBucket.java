package io.sluice.broker.rate;

import org.jspecify.annotations.Nullable;

/**
 * Token bucket of messages and bytes that holds one period of its rate and may be in debt: what is taken is taken, and who takes next waits until
 * the debt is paid. One thread.
 */
public final class RateBucket {
    private static final double MILLIS_PER_SECOND = 1_000;

    /** Shortest wait, so that a fast rate does not wake for each message. */
    private static final long SHORTEST_MILLIS = 5;

    private final Rate rate;
    private final @Nullable Base base;
    private double messages;
    private double bytes;
    private long filledAt;

    /** Rates per second that come on top, as they are at the moment. */
    public interface Base {
        double messages();

        double bytes();
    }

    /**
     * Full at first.
     *
     * @param now milliseconds
     * @param base null for a rate that is not relative to another
     */
    public RateBucket(Rate rate, @Nullable Base base, long now) {
        this.rate = rate;
        this.base = base;
        this.filledAt = now;
        this.messages = rate.messages() + added(true) * rate.seconds();
        this.bytes = rate.bytes() + added(false) * rate.seconds();
    }

    private double added(boolean ofMessages) {
        return base == null ? 0 : ofMessages ? base.messages() : base.bytes();
    }

    private double perMilli(long limit, boolean ofMessages) {
        return (limit / (double) rate.seconds() + added(ofMessages)) / MILLIS_PER_SECOND;
    }

    private void fill(long now) {
        long elapsed = now - filledAt;
        if (elapsed <= 0) {
            return;
        }
        filledAt = now;
        double periodMillis = rate.seconds() * MILLIS_PER_SECOND;
        double perMilli = perMilli(rate.messages(), true);
        messages = Math.min(messages + elapsed * perMilli, perMilli * periodMillis);
        perMilli = perMilli(rate.bytes(), false);
        bytes = Math.min(bytes + elapsed * perMilli, perMilli * periodMillis);
    }

    /** Takes this much, whether it is there or not. */
    public void take(long moreMessages, long moreBytes, long now) {
        fill(now);
        messages -= moreMessages;
        bytes -= moreBytes;
    }

    /** Milliseconds until something is there again; 0 if it is. */
    public long waitMillis(long now) {
        fill(now);
        double wait = 0;
        if (rate.messages() > 0 && messages < 1) {
            wait = (1 - messages) / perMilli(rate.messages(), true);
        }
        if (rate.bytes() > 0 && bytes < 1) {
            wait = Math.max(wait, (1 - bytes) / perMilli(rate.bytes(), false));
        }
        return wait == 0 ? 0 : Math.max((long) Math.ceil(wait), SHORTEST_MILLIS);
    }

    /** Bytes that may be taken now in messages of this size; at least 1. */
    public int room(int averageMessage, int most, long now) {
        fill(now);
        double room = most;
        if (rate.messages() > 0) {
            room = Math.min(room, Math.ceil(messages) * averageMessage);
        }
        if (rate.bytes() > 0) {
            room = Math.min(room, bytes);
        }
        return (int) Math.max(1, room);
    }
}
