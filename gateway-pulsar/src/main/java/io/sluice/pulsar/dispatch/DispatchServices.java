package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.metrics.PulsarMeters;

/** Services that the subscriptions of every partition use. */
public record DispatchServices(ByteBufAllocator allocator, Limits limits, PulsarMeters meters) {}
