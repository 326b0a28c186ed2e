package io.sluice.kafka.connection;

import io.sluice.broker.memory.ProtocolShare;
import io.sluice.kafka.api.Apis;
import java.util.function.LongSupplier;
import org.apache.kafka.common.network.ListenerName;

/**
 * Services shared by all connections of a listener.
 *
 * @param nanoTime a clock that only rises, in nanoseconds
 */
public record ConnectionSetup(
        Apis apis,
        ListenerName listener,
        ConnectionLimits limits,
        ProtocolShare memory,
        GatewayMeters meters,
        LongSupplier nanoTime) {}
