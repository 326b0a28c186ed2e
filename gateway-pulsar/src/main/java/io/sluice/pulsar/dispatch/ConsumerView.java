package io.sluice.pulsar.dispatch;

import io.sluice.broker.subscription.SubscriptionReader;
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
        Traffic.View acked,
        ConsumerTimes.View times,
        long entries,
        List<HashRange> hashes) {

    /**
     * For groups' admin clients.
     *
     * @param active name of the consumer that is served where only one is, else empty
     */
    SubscriptionReader reader(String type, String active) {
        String name = identity.name();
        return new SubscriptionReader(name, address, type, active.isEmpty() || active.equals(name));
    }
}
