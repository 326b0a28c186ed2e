package io.sluice.pulsar.dispatch;

import io.sluice.conversion.EntryConversions;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.wire.MessageFrames;

/** Shared by all subscriptions of a partition. Loop only. */
record DispatchContext(
        PartitionPlace place,
        Limits limits,
        MessageFrames frames,
        DeliveredTraffic traffic,
        UnreadableEntries unreadable,
        LastMessage lastMessage,
        DelayRule delays,
        DelayIndex delayIndex,
        EntryConversions conversions,
        PartitionRates rates,
        MarkerTap markers,
        BacklogEnd end) {
    DispatchContext(
            PartitionPlace place, DispatchServices services, PartitionRates rates, DelayIndex.Listener subscriptions) {
        this(
                place,
                services.limits(),
                new MessageFrames(services.allocator()),
                new DeliveredTraffic(place.now(), services.meters()),
                new UnreadableEntries(place),
                new LastMessage(place.log(), services.conversions()),
                services.delays(),
                new DelayIndex(
                        place.log(),
                        services.allocator(),
                        services.delayMemory(),
                        services.delayLimits(),
                        subscriptions),
                services.conversions(),
                rates,
                new MarkerTap(),
                new BacklogEnd(place.log()));
    }
}
