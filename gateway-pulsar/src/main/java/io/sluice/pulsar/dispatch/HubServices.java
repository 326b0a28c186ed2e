package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.metrics.PulsarMeters;

/** Services used by every partition's hub. */
public record HubServices(ByteBufAllocator allocator, Limits limits, PulsarMeters meters) {}
