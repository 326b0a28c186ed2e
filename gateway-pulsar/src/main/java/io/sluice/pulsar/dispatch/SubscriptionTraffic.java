package io.sluice.pulsar.dispatch;

import io.sluice.pulsar.metrics.Traffic;

/** Traffic to a subscription's consumers, including those that have left. Loop only. */
public final class SubscriptionTraffic {
    final Traffic out;
    private long lastFlow;
    private long lastAdvance;

    SubscriptionTraffic(long now) {
        this.out = new Traffic(now);
    }

    void flow(long now) {
        lastFlow = now;
    }

    /** The first message that is not acknowledged is another one. */
    void advanced(long now) {
        lastAdvance = now;
    }

    /**
     * @param lastFlow when a consumer last asked for messages, in milliseconds since the epoch; 0 for never
     * @param lastAdvance when all before some message became acknowledged
     */
    public record View(Traffic.View out, long lastFlow, long lastAdvance) {
        public static final View NONE = new View(Traffic.View.NONE, 0, 0);
    }

    View view(long now) {
        return new View(out.view(now), lastFlow, lastAdvance);
    }
}
