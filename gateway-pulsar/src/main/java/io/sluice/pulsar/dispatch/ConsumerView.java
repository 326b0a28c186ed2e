package io.sluice.pulsar.dispatch;

/** A consumer at one moment, for stats. Counters are since it connected. */
public record ConsumerView(
        Consumer.Identity identity,
        String address,
        long connectedAt,
        int permits,
        int unacked,
        boolean blocked,
        long messagesOut,
        long bytesOut,
        long messagesRedelivered) {}
