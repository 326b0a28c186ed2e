package io.sluice.pulsar.dispatch;

import io.sluice.pulsar.metrics.Traffic;

/** Traffic to a subscription's consumers, including those that have left, and what it has lost. Loop only. */
public final class SubscriptionTraffic {
    final Traffic out;
    private final Traffic expired;
    private long lastFlow;
    private long lastAdvance;
    private long lastExpiry;

    SubscriptionTraffic(long now) {
        this.out = new Traffic(now);
        this.expired = new Traffic(now);
    }

    void flow(long now) {
        lastFlow = now;
    }

    /** The first message that is not acknowledged is another one. */
    void advanced(long now) {
        lastAdvance = now;
    }

    /** Its old messages were looked for, and so many have expired. */
    void expired(long messages, long now) {
        expired.add(messages, 0);
        lastExpiry = now;
    }

    /**
     * @param lastFlow when a consumer last asked for messages, in milliseconds since the epoch; 0 for never
     * @param lastAdvance when all before some message became acknowledged
     * @param lastExpiry when old messages were last looked for
     */
    public record View(Traffic.View out, Traffic.View expired, long lastFlow, long lastAdvance, long lastExpiry) {
        public static final View NONE = new View(Traffic.View.NONE, Traffic.View.NONE, 0, 0, 0);
    }

    View view(long now) {
        return new View(out.view(now), expired.view(now), lastFlow, lastAdvance, lastExpiry);
    }
}
