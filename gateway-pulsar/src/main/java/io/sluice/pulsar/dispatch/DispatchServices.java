package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.conversion.EntryConversions;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.rates.TopicRates;

/**
 * Services that the subscriptions of every partition use.
 *
 * @param delays whether messages wait for their time to be delivered
 * @param delayMemory for what is remembered of those that wait
 * @param delayLimits of their index
 * @param conversions of what Kafka clients wrote
 * @param rates that hold for topics
 * @param migration says which topics have gone to another cluster
 */
public record DispatchServices(
        ByteBufAllocator allocator,
        Limits limits,
        PulsarMeters meters,
        DelayRule delays,
        DelayMemory delayMemory,
        DelayLimits delayLimits,
        EntryConversions conversions,
        TopicRates.Source rates,
        MigrationRule migration) {
    /** All messages wait for their time, there are no rates, and no topic has migrated. */
    public DispatchServices(ByteBufAllocator allocator, Limits limits, PulsarMeters meters) {
        this(
                allocator,
                limits,
                meters,
                topic -> true,
                DelayMemory.ofHeap(),
                DelayLimits.DEFAULTS,
                EntryConversions.inHeap(limits.maxMessageBytes(), Thread::startVirtualThread),
                topic -> TopicRates.NONE,
                topic -> false);
    }
}
