package io.sluice.pulsar.dispatch;

/** A consumer at one moment, for stats. Counters and rates are since it connected. */
public record ConsumerView(
        Consumer.Identity identity,
        String address,
        long connectedAt,
        int permits,
        int unacked,
        boolean blocked,
        Traffic.View out,
        Traffic.View redelivered) {}
