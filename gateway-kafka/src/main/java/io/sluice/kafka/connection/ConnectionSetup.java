package io.sluice.kafka.connection;

import io.sluice.kafka.handler.Apis;
import java.util.function.LongSupplier;
import org.apache.kafka.common.network.ListenerName;

/**
 * What all connections of a listener share.
 *
 * @param nanoTime a clock that only rises, in nanoseconds
 */
public record ConnectionSetup(
        Apis apis,
        ListenerName listener,
        ConnectionLimits limits,
        RequestMemory memory,
        GatewayMeters meters,
        LongSupplier nanoTime) {}
