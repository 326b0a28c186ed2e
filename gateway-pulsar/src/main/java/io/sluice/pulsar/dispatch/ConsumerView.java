package io.sluice.pulsar.dispatch;

import io.sluice.pulsar.metrics.Traffic;
import java.util.List;

/**
 * A consumer at one moment, for stats. Counters and rates are since it connected.
 *
 * @param entries sent to it, of one or several messages
 * @param hashes of keys whose messages it gets; empty unless the subscription goes by key
 */
public record ConsumerView(
        ConsumerIdentity identity,
        String address,
        String clientVersion,
        long connectedAt,
        int permits,
        int unacked,
        boolean blocked,
        Traffic.View out,
        Traffic.View redelivered,
        ConsumerTimes.View times,
        long entries,
        List<HashRange> hashes) {}
