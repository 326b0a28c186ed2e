package io.sluice.pulsar.dispatch;

import java.util.List;
import java.util.Map;

/**
 * A subscription at one moment, for stats.
 *
 * @param type as Pulsar writes it; {@code None} without a consumer
 * @param backlog messages not acknowledged
 * @param unacked messages sent and not acknowledged
 * @param blocked whether its consumers hold as many messages as they may together
 * @param delayed messages whose time to be delivered has not come, as far as there is room to know it
 * @param inReplay entries that were sent, or read, and wait to be sent again
 * @param active name of the consumer that gets messages where only one does, else empty
 * @param ackedRanges acknowledged ranges above {@code ackedBelow}
 * @param ackedBytes memory that these take, about
 * @param keySharedMode as Pulsar writes it, empty unless it is Key_Shared
 * @param outOfOrder whether a key's messages may be reordered when consumers come and go
 */
public record SubscriptionView(
        String name,
        String type,
        boolean durable,
        long ackedBelow,
        long readOffset,
        long backlog,
        long unacked,
        boolean blocked,
        long delayed,
        long inReplay,
        String active,
        int ackedRanges,
        long ackedBytes,
        String keySharedMode,
        boolean outOfOrder,
        Map<String, String> properties,
        List<ConsumerView> consumers) {

    public SubscriptionView {
        consumers = List.copyOf(consumers);
        properties = Map.copyOf(properties);
    }
}
