package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.metrics.PulsarMeters;

/** What every partition's hub uses. */
public record HubServices(ByteBufAllocator allocator, Limits limits, PulsarMeters meters) {}
