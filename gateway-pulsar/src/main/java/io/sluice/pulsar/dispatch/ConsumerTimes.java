package io.sluice.pulsar.dispatch;

/** When a consumer asked for messages, was sent some, acknowledged some: for operators who look for one that hangs. Loop only. */
public final class ConsumerTimes {
    private long firstFlow;
    private long lastFlow;
    private long firstSent;
    private long lastSent;
    private long lastAcked;

    /** Milliseconds since the epoch; 0 for what has not happened. */
    public record View(long firstFlow, long lastFlow, long firstSent, long lastSent, long lastAcked) {}

    void flow(long now) {
        firstFlow = firstFlow == 0 ? now : firstFlow;
        lastFlow = now;
    }

    void sent(long now) {
        firstSent = firstSent == 0 ? now : firstSent;
        lastSent = now;
    }

    void acked(long now) {
        lastAcked = now;
    }

    View view() {
        return new View(firstFlow, lastFlow, firstSent, lastSent, lastAcked);
    }
}
